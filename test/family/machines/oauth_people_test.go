package machines_test

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

const api = "https://api.example.com"

// oauthMachine is an app with its secret, if it has one.
type oauthMachine struct{ id, slug, secret string }

// oauthRegister registers an app of somebody's workspace.
func oauthRegister(by *harness.Actor, slug string, more P) oauthMachine {
	params := P{"name": slug, "slug": slug}
	for name, value := range more {
		params[name] = value
	}
	made := by.Do("APP.REGISTER", params).OK()
	m := oauthMachine{id: made.String("app.id"), slug: slug}
	if made.Has("api_key") {
		m.secret = made.String("api_key")
	}
	return m
}

// ask asks for a token for an audience, "" for this service, with scopes, nil for all.
func (m oauthMachine) ask(h *harness.Service, audience string, scopes []string) *harness.Reply {
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

// oauthClaims are those of an issued token.
func oauthClaims(t *testing.T, issued *harness.Reply) P {
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

// eventsOf are the events of a kind that a workspace was told, newest first.
func eventsOf(h *harness.Service, kind event.Kind, org string) []event.Record {
	var found []event.Record
	for _, one := range h.Events(kind) {
		if one.OrgID == org {
			found = append(found, one)
		}
	}
	return found
}
