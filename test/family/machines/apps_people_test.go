package machines_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/test/harness"
)

// member makes an account that belongs to a workspace, logged into it.
func member(h *harness.Service, root *harness.Actor, org, email, role string) *harness.Actor {
	made := root.Do("USER.CREATE", P{"email": email, "password": harness.Password, "org_id": org, "role": role}).OK()
	pair := h.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": harness.Password, "org_id": org}).OK()
	a := h.With(pair.String("access_token"))
	a.UserID, a.OrgID = made.String("user.id"), org
	return a
}

// appKey returns an actor who calls with a new API key of somebody.
func appKey(h *harness.Service, owner *harness.Actor, scopes ...string) *harness.Actor {
	return h.With(owner.Do("API_KEY.CREATE", P{"name": "key", "scopes": scopes}).OK().String("key"))
}

// appRegister registers an app and returns its identifier and its secret.
func appRegister(a *harness.Actor, slug string, more P) (id, secret string) {
	params := P{"name": slug, "slug": slug}
	for name, value := range more {
		params[name] = value
	}
	made := a.Do("APP.REGISTER", params).OK()
	if made.Has("api_key") {
		secret = made.String("api_key")
	}
	return made.String("app.id"), secret
}

// issue stores a token of an app, as M2M.TOKEN would, and gives its jti.
func issue(t *testing.T, h *harness.Service, of string, jti string, life time.Duration) {
	t.Helper()
	now := h.Clock.Now()
	err := h.Store.TokenIssues().Issue(t.Context(), m2m.Issued{
		JTI: jti, App: app.ID(of), AppVersion: 1, Audience: harness.Issuer, IssuedAt: now, ExpiresAt: now.Add(life),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

// only returns the one event of a kind.
func only(t *testing.T, h *harness.Service, kind event.Kind) event.Record {
	t.Helper()
	found := h.Events(kind)
	if len(found) != 1 {
		t.Fatalf("%d events %s, want 1", len(found), kind)
	}
	return found[0]
}

// wantEvent fails the test unless there is one event of a kind, filed under the
// workspace, whose content has these parts.
func wantEvent(t *testing.T, h *harness.Service, kind event.Kind, org string, parts ...string) {
	t.Helper()
	got := only(t, h, kind)
	if got.OrgID != org || got.UserID != "" {
		t.Errorf("%s is filed under %q, %q, want the workspace alone", kind, got.OrgID, got.UserID)
	}
	for _, part := range parts {
		if !strings.Contains(string(got.Data), part) {
			t.Errorf("%s is %s, which lacks %s", kind, got.Data, part)
		}
	}
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// slugs returns those of a list of apps.
func slugs(items []P) []string {
	found := []string{}
	for _, item := range items {
		slug, _ := item["slug"].(string)
		found = append(found, slug)
	}
	return found
}

// atOnce makes calls in parallel and returns their answers.
func atOnce(calls ...func() *harness.Reply) []*harness.Reply {
	var all sync.WaitGroup
	answers := make([]*harness.Reply, len(calls))
	for i, call := range calls {
		all.Go(func() { answers[i] = call() })
	}
	all.Wait()
	return answers
}
