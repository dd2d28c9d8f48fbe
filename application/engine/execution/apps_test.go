package execution_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/test/harness"
)

const ended = "the token was revoked, or its app was disabled or deleted: request a new token"

func TestHandlersSeeTheCallingApp(t *testing.T) {
	t.Parallel()
	tell, heard := recordingCall(reads("LAB.TELL", access.Anybody()))
	l := newLab(t, tell)
	alice := l.SignUp("alice@example.com")
	of := l.app(alice, "apps:*", "users:read")
	token := l.issue(of, "apps:write users:read invoices:read", "", map[string]any{"plan": "pro", "quota": 7})
	l.do(ask{command: "LAB.TELL", authorization: token.bearer()}).ok()
	c := heard.Caller
	if c.Kind != access.App || c.App != of.ID() || c.Client != of.Snapshot().Slug || c.Org.String() != alice.OrgID ||
		c.User != "" || c.Session != "" || c.APIKey != "" || c.Superadmin || c.Profile.ID != "" || !c.AuthTime.IsZero() {
		t.Errorf("caller = %+v", c)
	}
	if !slices.Equal(c.Scopes, []string{"apps:write", "users:read", "invoices:read"}) || !c.ExpiresAt.Equal(token.ExpiresAt.Truncate(time.Second)) ||
		c.Roles == nil || len(c.Roles) > 0 || !c.May("apps:write") || !c.May("users:read") || c.May("apps:read") || c.May("invoices:read") {
		t.Errorf("caller = %+v", c)
	}
	if heard.Session != nil || heard.Token != nil || heard.IP != "192.0.2.1" || heard.Method != "POST" || heard.URL != harness.Issuer+"/api/v1/execute" {
		t.Errorf("call = %+v", heard)
	}
}

// A token holds as long as the store bears it out, whatever its signature says.
func TestTokensThatDoNotHold(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.ANY", access.Anybody()))
	alice := l.SignUp("alice@example.com")
	now := l.Clock.Now()
	for name, end := range map[string]func(of *app.App, token machineToken){
		"revoked": func(_ *app.App, token machineToken) {
			l.revoked(func(tx machines.IssuedTokens) error { _, err := tx.Revoke(t.Context(), token.JTI, now); return err })
		},
		"all revoked": func(of *app.App, _ machineToken) {
			l.revoked(func(tx machines.IssuedTokens) error {
				_, err := tx.RevokeAll(t.Context(), of.ID(), now, now)
				return err
			})
		},
		"disabled": func(of *app.App, _ machineToken) {
			off := false
			if err := of.Update(app.Change{Enabled: &off}, now); err != nil {
				t.Fatal(err)
			}
			l.saveApp(of)
		},
		"deleted":      func(of *app.App, _ machineToken) { l.execute(`DELETE FROM apps WHERE id = $1`, of.ID().String()) },
		"never issued": func(_ *app.App, token machineToken) { l.execute(`DELETE FROM m2m_tokens WHERE jti = $1`, token.JTI) },
		"ended earlier": func(_ *app.App, token machineToken) {
			l.execute(`UPDATE m2m_tokens SET expires_at = issued_at WHERE jti = $1`, token.JTI)
		},
	} {
		of, other := l.app(alice), l.app(alice)
		token, spared := l.issue(of, "openid", "", nil), l.issue(other, "openid", "", nil)
		l.do(ask{command: "LAB.ANY", authorization: token.bearer()}).ok()
		end(of, token)
		if got := l.do(ask{command: "LAB.ANY", authorization: token.bearer()}).fails(fault.Auth).Failure.Message; got != ended {
			t.Errorf("%s: %q", name, got)
		}
		l.do(ask{command: "LAB.ANY", authorization: spared.bearer()}).ok()
	}
	if logged := l.logs.lines(t); len(logged) > 0 {
		t.Errorf("logged %v", logged)
	}
}

// An app that is enabled again has its tokens again.
func TestDisabledForAWhile(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.ANY", access.Anybody()))
	of := l.app(l.SignUp("alice@example.com"))
	token := l.issue(of, "openid", "", nil)
	for _, on := range []bool{false, true} {
		if err := of.Update(app.Change{Enabled: &on}, l.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		of = l.saveApp(of)
		if failed := l.do(ask{command: "LAB.ANY", authorization: token.bearer()}).Failure != nil; failed == on {
			t.Errorf("enabled %v: failed = %v", on, failed)
		}
	}
}

// What speaks against a token by itself is told before the store is asked.
func TestTokensThatAreNotForHere(t *testing.T) {
	t.Parallel()
	l := newLab(t, reads("LAB.ANY", access.Anybody()))
	alice := l.SignUp("alice@example.com")
	of := l.app(alice, "apps:read")
	for name, changes := range map[string]map[string]any{
		"another audience": {"aud": "https://api.example.com"}, "no audience": {"aud": ""}, "several": {"aud": []string{harness.Issuer}},
		"another issuer": {"iss": "https://elsewhere.example.com"}, "a session too": {"sid": alice.SessionID}, "no client": {"client_id": ""},
	} {
		token := l.issue(of, "apps:read", "", changes)
		if got := l.do(ask{command: "LAB.ANY", authorization: token.bearer()}).fails(fault.TokenInvalid).Failure; got.Message == "" {
			t.Errorf("%s: %v", name, got)
		}
	}
	token := l.issue(of, "apps:read", "", nil)
	l.Clock.Advance(time.Hour - time.Second)
	l.do(ask{command: "LAB.ANY", authorization: token.bearer()}).ok()
	l.Clock.Advance(time.Second)
	l.do(ask{command: "LAB.ANY", authorization: token.bearer()}).fails(fault.TokenExpired)
	// A token whose jti is a session's identifier is nobody's.
	renamed := l.issue(of, "apps:read", "", map[string]any{"jti": alice.SessionID})
	l.do(ask{command: "LAB.ANY", authorization: renamed.bearer()}).fails(fault.Auth)
}

// Scopes that are taken back narrow the tokens that carry them; the words of a
// token do not widen what the app has.
func TestScopesOfTheMoment(t *testing.T) {
	t.Parallel()
	tell, heard := recordingCall(reads("LAB.TELL", access.Anybody()))
	l := newLab(t, tell, reads("LAB.HOLD", access.Holding("apps:read")), reads("LAB.CLIENT", access.Client("api_keys:verify")), reads("LAB.MANAGE", access.Holding("users:manage")))
	of := l.app(l.SignUp("alice@example.com"), "apps:read", "api_keys:verify")
	token := l.issue(of, "apps:read api_keys:verify invoices:read", "", nil)
	greedy := l.issue(of, "* apps:* users:manage *:read", "", nil)
	try := func(m machineToken, want map[string]bool) {
		t.Helper()
		for name, allowed := range want {
			if said := l.do(ask{command: name, authorization: m.bearer()}); allowed {
				said.ok()
			} else {
				said.fails(fault.Denied)
			}
		}
	}
	take := func(scopes []string) {
		t.Helper()
		if err := of.Withdraw(scopes, nil, l.Clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	try(token, map[string]bool{"LAB.HOLD": true, "LAB.CLIENT": true, "LAB.MANAGE": false})
	try(greedy, map[string]bool{"LAB.HOLD": false, "LAB.CLIENT": false, "LAB.MANAGE": false})
	take([]string{"apps:read"})
	of = l.saveApp(of)
	try(token, map[string]bool{"LAB.HOLD": false, "LAB.CLIENT": true})
	take([]string{"api_keys:verify"})
	of = l.saveApp(of)
	try(token, map[string]bool{"LAB.HOLD": false, "LAB.CLIENT": false})
	l.do(ask{command: "LAB.TELL", authorization: token.bearer()}).ok()
	if got := heard.Caller; !slices.Equal(got.Scopes, []string{"invoices:read"}) || len(got.Permissions) > 0 {
		t.Errorf("left are %q, and the permissions %q", got.Scopes, got.Permissions)
	}
	if err := of.Grant([]string{"apps:*", "api_keys:verify"}, false, l.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	l.saveApp(of)
	try(token, map[string]bool{"LAB.HOLD": true, "LAB.CLIENT": true})
	try(greedy, map[string]bool{"LAB.HOLD": true, "LAB.CLIENT": false, "LAB.MANAGE": false})
}

// Where an app lists what it may ask for, foreign scopes need a grant too.
func TestListedScopes(t *testing.T) {
	t.Parallel()
	tell, heard := recordingCall(reads("LAB.TELL", access.Anybody()))
	l := newLab(t, tell)
	of := l.app(l.SignUp("alice@example.com"), "apps:read", "invoices:read")
	token := l.issue(of, "apps:read invoices:read openid", "", nil)
	l.execute(`UPDATE apps SET scopes_listed = TRUE`)
	l.do(ask{command: "LAB.TELL", authorization: token.bearer()}).ok()
	if got := heard.Caller.Scopes; !slices.Equal(got, []string{"apps:read", "invoices:read"}) {
		t.Errorf("scopes = %q", got)
	}
}

// The parameters of an anonymous call name a token or a session; it is told to the
// handler, unless a credential was presented.
func TestNamedByParameters(t *testing.T) {
	t.Parallel()
	var names command.Subject
	tell, heard := recordingCall(reads("LAB.TELL", access.Optional()))
	tell.Subject = func(context.Context, params) (command.Subject, error) { return names, nil }
	l := newLab(t, tell)
	alice := l.SignUp("alice@example.com")
	of := l.app(alice)
	token := l.issue(of, "openid", "", nil)
	names = command.Subject{Counted: of.Snapshot().Slug, Token: token.JTI}
	l.do(ask{command: "LAB.TELL"}).ok()
	if heard.Token == nil || heard.Token.App != of.ID() || heard.Session != nil || heard.Caller.Authenticated() {
		t.Errorf("call = %+v", heard)
	}
	l.do(ask{command: "LAB.TELL", who: alice}).ok()
	if heard.Token != nil || heard.Session != nil || heard.Caller.Session.String() != alice.SessionID {
		t.Errorf("call = %+v", heard)
	}
	names = command.Subject{Counted: "x", Session: session.ID(alice.SessionID)}
	l.do(ask{command: "LAB.TELL"}).ok()
	if heard.Session == nil || heard.Session.User.ID.String() != alice.UserID || heard.Token != nil {
		t.Errorf("call = %+v", heard)
	}
	names = command.Subject{Counted: "x", Token: "0193c1a2-7b1e-7c3d-9a5f-0123456789ab"}
	l.do(ask{command: "LAB.TELL"}).ok()
	if heard.Session != nil || heard.Token != nil {
		t.Errorf("call = %+v", heard)
	}
}
