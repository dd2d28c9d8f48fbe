package oauth_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// P keeps parameters short.
type P = harness.P

const api = "https://api.example.com"

// onEachStore runs a test with two replicas of an instance, on both databases.
func onEachStore(t *testing.T, test func(t *testing.T, here, there *harness.Service)) {
	t.Helper()
	for store, open := range map[string]func(testing.TB) string{"sqlite": harness.SQLite, "postgres": harness.Postgres} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			database := open(t)
			test(t, harness.On(t, database), harness.On(t, database))
		})
	}
}

// machine is an app with its secret, if it has one.
type machine struct{ id, slug, secret string }

// register registers an app of somebody's workspace.
func register(by *harness.Actor, slug string, more P) machine {
	params := P{"name": slug, "slug": slug}
	for name, value := range more {
		params[name] = value
	}
	made := by.Do("APP.REGISTER", params).OK()
	m := machine{id: made.String("app.id"), slug: slug}
	if made.Has("api_key") {
		m.secret = made.String("api_key")
	}
	return m
}

// ask asks for a token for an audience, "" for this service, with scopes, nil for all.
func (m machine) ask(h *harness.Service, audience string, scopes []string) *harness.Reply {
	params := P{"client_id": m.slug, "client_secret": m.secret}
	if audience != "" {
		params["audience"] = audience
	}
	if scopes != nil {
		params["scopes"] = scopes
	}
	return h.Anonymous().Do("M2M.TOKEN", params)
}

// active reports whether a token is good.
func active(h *harness.Service, token *harness.Reply) bool {
	return h.Anonymous().Do("M2M.INTROSPECT", P{"token": token.String("access_token")}).Bool("active")
}

// create registers an API; its parameters may be changed.
func create(by *harness.Actor, identifier string, more P) *harness.Reply {
	params := P{"identifier": identifier, "name": "API", "scopes": []P{}}
	for name, value := range more {
		params[name] = value
	}
	return by.Do("OAUTH.RESOURCE_CREATE", params)
}

// scopes are scopes by their names.
func scopes(names ...string) []P {
	list := []P{}
	for _, name := range names {
		list = append(list, P{"name": name})
	}
	return list
}

// refused fails the test unless an answer is a refusal that begins with a word.
func refused(t *testing.T, what string, r *harness.Reply, word string) {
	t.Helper()
	if r.Failure == nil || !strings.HasPrefix(r.Failure.Message, word+": ") {
		t.Errorf("%s: answered by %v, %v, want %s", what, r.Data, r.Failure, word)
	}
}

// claims are those of an issued token.
func claims(t *testing.T, issued *harness.Reply) P {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(issued.String("access_token"), ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var content P
	if err := json.Unmarshal(raw, &content); err != nil {
		t.Fatal(err)
	}
	return content
}

// told are the events of a kind that a workspace was told, newest first.
func told(h *harness.Service, kind event.Kind, org string) []event.Record {
	var found []event.Record
	for _, one := range h.Events(kind) {
		if one.OrgID == org {
			found = append(found, one)
		}
	}
	return found
}
