package signin_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

func TestLogout(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	other := h.Login(authAddress, harness.Password)
	same(t, "events of a dry run", alice.DryRun().Do("AUTH.LOGOUT", nil).Strings("dry_run.events"), []string{"session.revoked"})
	if r := alice.Do("AUTH.LOGOUT", nil); !r.Bool("revoked") || keys(r.Data) != "revoked" {
		t.Errorf("data = %v", r.Data)
	}
	alice.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
	alice.Do("AUTH.LOGOUT", nil).Fails(fault.Auth)
	refresh(h, alice.RefreshToken).Fails(fault.Auth)
	other.Do("AUTH.WHOAMI", nil).OK()
	stored := h.Events(session.KindRevoked)
	if len(stored) != 1 || stored[0].UserID != alice.UserID || !strings.Contains(string(stored[0].Data), `"reason":"logout"`) || !strings.Contains(string(stored[0].Data), alice.SessionID) {
		t.Errorf("events = %+v", stored)
	}
}

// A logout whose answer was lost is answered again, to the session that it ended too.
func TestLogoutUnderAKey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	alice.Idempotent("bye").Do("AUTH.LOGOUT", nil).OK()
	if r := alice.Idempotent("bye").Do("AUTH.LOGOUT", nil).OK(); !r.Replayed || !r.Bool("revoked") {
		t.Errorf("the logout is answered again with %v, replayed %v", r.Data, r.Replayed)
	}
	alice.Idempotent("other").Do("AUTH.LOGOUT", nil).Fails(fault.Auth)
	alice.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
	again := h.Login(authAddress, harness.Password)
	if !again.Idempotent("bye").Do("AUTH.LOGOUT", nil).OK().Replayed {
		t.Error("another session's logout under the same key ran")
	}
	again.Do("AUTH.WHOAMI", nil).OK()
}

func TestWhoami(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	began := h.Clock.Now()
	h.Clock.Advance(time.Minute)
	r := alice.Do("AUTH.WHOAMI", nil).OK()
	if keys(r.Data) != "amr api_key_id app_id auth_time expires_at has_password kind org_id org_name roles scopes session_id subject" {
		t.Errorf("data = %v", r.Data)
	}
	if r.String("kind") != "session" || r.String("subject") != alice.UserID || r.String("session_id") != alice.SessionID || r.String("org_id") != alice.OrgID {
		t.Errorf("data = %v", r.Data)
	}
	if r.String("auth_time") != began.Format(time.RFC3339Nano) || r.String("expires_at") != began.Add(15*time.Minute).Truncate(time.Second).Format(time.RFC3339Nano) {
		t.Errorf("auth_time %s, expires_at %s, logged in at %s", r.String("auth_time"), r.String("expires_at"), began)
	}
	same(t, "amr", r.Strings("amr"), []string{"pwd"})
	same(t, "roles", r.Strings("roles"), []string{"owner"})
	if scopes := r.Strings("scopes"); len(scopes) == 0 || slices.Contains(scopes, "users:manage") {
		t.Errorf("scopes = %q", scopes)
	}
}

// Whoever asks a person for a password knows whether there is one.
func TestWhoamiTellsWhetherThereIsAPassword(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		root, alice := h.Superadmin(), h.SignUp(authAddress)
		if who := alice.Do("AUTH.WHOAMI", nil).OK(); !who.Bool("has_password") || who.String("org_name") != "Personal workspace" {
			t.Errorf("data = %v", who.Data)
		}
		bob := root.Do("USER.CREATE", P{"email": "bob@example.com", "display_name": "Bob"}).OK().String("user.id")
		ticket := root.Do("USER.TICKET_CREATE", P{"user_id": bob, "purpose": "login"}).OK().String("token")
		in := h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"token": ticket}).OK().String("access_token")
		if who := h.With(in).Do("AUTH.WHOAMI", nil).OK(); who.Bool("has_password") || who.String("org_name") == "" {
			t.Errorf("data = %v", who.Data)
		}
		if who := alice.Machine("robot", "apps:read").Do("AUTH.WHOAMI", nil).OK(); who.Bool("has_password") || who.String("org_name") != "Personal workspace" {
			t.Errorf("data = %v", who.Data)
		}
	})
}

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	check := func(params P) *harness.Reply { return h.Anonymous().Do("AUTH.CHECK_PASSWORD", params).OK() }
	for _, c := range []struct {
		params  P
		reasons []string
	}{
		{P{"password": harness.Password}, []string{}},
		{P{"password": "password"}, []string{"among the most common passwords"}},
		{P{"password": "x"}, []string{"too short"}},
		{P{"password": strings.Repeat("ab\u00fc1", 70)}, []string{"too long"}},
		{P{"password": "zoe.quinnley@example.com", "email": "Zoe.Quinnley@EXAMPLE.com"}, []string{"your own email address or name"}},
		{P{"password": "zoe.quinnley", "email": "zoe.quinnley@example.com"}, []string{"your own email address or name"}},
		{P{"password": "zoe.quinnley@example.com"}, []string{}},
	} {
		r := check(c.params)
		if got := r.Strings("reasons"); !slices.Equal(got, c.reasons) || r.Bool("acceptable") != (len(c.reasons) == 0) || r.Int("score") < 0 || r.Int("score") > 4 {
			t.Errorf("%.40v: %v, want %q", c.params, r.Data, c.reasons)
		}
	}
	if weak, strong := check(P{"password": "password"}).Int("score"), check(P{"password": "vV9~uhg7!pQ zebra lamp"}).Int("score"); weak >= strong {
		t.Errorf("scores %d and %d", weak, strong)
	}
	h.Superadmin().Do("POLICY.SET", P{"kind": "password", "values": P{"min_score": 4}}).OK()
	same(t, "reasons under a stricter policy", check(P{"password": "abcdefgh9"}).Strings("reasons"), []string{"too easy to guess"})
	h.Anonymous().Do("AUTH.CHECK_PASSWORD", P{"password": "x", "email": "y"}).Fails(fault.Validation).Field("/email")
	here := h.Anonymous().From(9)
	for range 60 {
		here.Do("AUTH.CHECK_PASSWORD", P{"password": "x"}).OK()
	}
	here.Do("AUTH.CHECK_PASSWORD", P{"password": "x"}).Fails(fault.RateLimited)
}
