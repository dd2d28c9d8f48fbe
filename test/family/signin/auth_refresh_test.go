package signin_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

func TestRefresh(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	h.Clock.Advance(time.Hour)
	alice.Do("AUTH.WHOAMI", nil).Fails(fault.TokenExpired)
	pair := refresh(h, alice.RefreshToken).OK()
	if keys(pair.Data) != "access_token expires_in refresh_token token_type" || pair.Int("expires_in") != 900 || pair.String("refresh_token") == alice.RefreshToken {
		t.Errorf("data = %v", pair.Data)
	}
	who := h.With(pair.String("access_token")).Do("AUTH.WHOAMI", nil).OK()
	if who.String("session_id") != alice.SessionID || who.String("auth_time") != h.Clock.Now().Add(-time.Hour).Format(time.RFC3339Nano) {
		t.Errorf("whoami = %v", who.Data)
	}
	stored := h.Events(session.KindRefreshed)
	if len(stored) != 1 || stored[0].UserID != alice.UserID || stored[0].Origin.Command != "AUTH.REFRESH" || strings.Contains(string(stored[0].Data), "rt_") {
		t.Errorf("events = %+v", stored)
	}
	next := refresh(h, pair.String("refresh_token")).OK().String("refresh_token")
	refresh(h, next).OK()
}

// A public command: a credential that expired, or is wrong, keeps nobody from it.
func TestRefreshWithAnExpiredCredential(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	h.Clock.Advance(time.Hour)
	alice.Do("AUTH.REFRESH", P{"refresh_token": alice.RefreshToken}).OK()
	h.With("x").Do("AUTH.LOGIN", P{"email": authAddress, "password": harness.Password}).OK()
	alice.Idempotent("k").Do("AUTH.REFRESH", P{"refresh_token": alice.RefreshToken}).Fails(fault.Validation)
}

// A lost answer is answered again with the same successor, on either replica,
// within the window and until that was used.
func TestRetry(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice := here.SignUp(authAddress)
		first := refresh(here, alice.RefreshToken).OK().String("refresh_token")
		here.Clock.Advance(10 * time.Second)
		if here != there {
			there.Clock.Advance(here.Clock.Now().Sub(there.Clock.Now()))
		}
		for range 3 {
			again := refresh(there, alice.RefreshToken).OK()
			if again.String("refresh_token") != first {
				t.Error("a retry is answered with another token")
			}
			there.With(again.String("access_token")).Do("AUTH.WHOAMI", nil).OK()
		}
		if n := len(here.Events(session.KindRefreshed)); n != 1 {
			t.Errorf("%d events session.refreshed, want 1", n)
		}
		second := refresh(here, first).OK().String("refresh_token")
		refresh(here, alice.RefreshToken).Fails(fault.Auth) // its successor is used
		for _, dead := range []string{first, second} {
			refresh(there, dead).Fails(fault.Auth)
		}
		here.With(alice.AccessToken).Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
		reused(t, here, alice)
	})
}

// reused fails the test unless the reuse is told once, with the end it made.
func reused(t *testing.T, h *harness.Service, who *harness.Actor) {
	t.Helper()
	found, ended := h.Events(session.KindReuseDetected), h.Events(session.KindRevoked)
	if len(found) != 1 || len(ended) != 1 || found[0].UserID != who.UserID || !strings.Contains(string(ended[0].Data), `"reason":"refresh_reuse"`) {
		t.Errorf("events = %+v and %+v", found, ended)
	}
}

func TestReuseAfterTheWindow(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	other := h.Login(authAddress, harness.Password)
	next := refresh(h, alice.RefreshToken).OK().String("refresh_token")
	h.Clock.Advance(10*time.Second + time.Microsecond)
	refresh(h, alice.RefreshToken).Fails(fault.Auth)
	refresh(h, next).Fails(fault.Auth)
	refresh(h, alice.RefreshToken).Fails(fault.Auth) // told once
	reused(t, h, alice)
	refresh(h, other.RefreshToken).OK()
}

func TestRetryWindowIsASetting(t *testing.T) {
	t.Parallel()
	dsn := harness.Postgres(t)
	here, there := harness.On(t, dsn), harness.On(t, dsn)
	root := here.Superadmin()
	set := func(seconds int) {
		root.Do("SETTINGS.SET", P{"values": P{"refresh_retry_seconds": seconds}}).OK()
	}
	set(60)
	alice := here.SignUp(authAddress)
	refresh(here, alice.RefreshToken).OK()
	there.Clock.Advance(here.Clock.Now().Sub(there.Clock.Now()) + time.Minute)
	refresh(there, alice.RefreshToken).OK()
	set(0)
	refresh(there, alice.RefreshToken).Fails(fault.Auth)
	reused(t, here, alice)
	bob := here.SignUp("bob@example.com")
	refresh(here, bob.RefreshToken).OK()
	refresh(here, bob.RefreshToken).Fails(fault.Auth) // at the same moment
}

// A session ends when it was not used for 30 days, and after 90 however it was.
func TestIdleAndAbsoluteEnd(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	h := harness.New(t)
	idle, used := h.SignUp(authAddress), h.SignUp("bob@example.com")
	token := used.RefreshToken
	for range 3 {
		h.Clock.Advance(30*day - time.Minute)
		token = refresh(h, token).OK().String("refresh_token")
	}
	refresh(h, idle.RefreshToken).Fails(fault.Auth)
	h.Clock.Advance(3*time.Minute - time.Second)
	pair := refresh(h, token).OK()
	if left := pair.Int("expires_in"); left != 1 {
		t.Errorf("the access token lives for %d seconds, and the session for 1", left)
	}
	h.With(pair.String("access_token")).Do("AUTH.WHOAMI", nil).OK()
	h.Clock.Advance(time.Second)
	refresh(h, pair.String("refresh_token")).Fails(fault.Auth)
	h.With(pair.String("access_token")).Do("AUTH.WHOAMI", nil).Fails(fault.TokenExpired)
	if n := len(h.Events(session.KindReuseDetected)); n != 0 {
		t.Errorf("%d of them are taken for reuse", n)
	}

	carol := h.SignUp("carol@example.com")
	h.Clock.Advance(30*day - time.Microsecond)
	next := refresh(h, carol.RefreshToken).OK().String("refresh_token")
	h.Clock.Advance(30 * day)
	refresh(h, next).Fails(fault.Auth)
}

func TestRefreshNeedsTheAccount(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	disabled, deleted := h.SignUp(authAddress), h.SignUp("bob@example.com")
	root.Do("USER.DISABLE", P{"user_id": disabled.UserID}).OK()
	root.Do("USER.DELETE", P{"user_id": deleted.UserID}).OK()
	want := refresh(h, disabled.RefreshToken).Fails(fault.Auth).Failure.Message
	if got := refresh(h, deleted.RefreshToken).Fails(fault.Auth).Failure.Message; got != want || !strings.HasPrefix(got, "invalid_grant") {
		t.Errorf("a deleted account is told %q, a disabled one %q", got, want)
	}
	// One that is disabled without its sessions, as an older release might.
	carol := h.SignUp("carol@example.com")
	if _, err := h.Store.Database().Write.ExecContext(t.Context(), `UPDATE users SET status = 'disabled' WHERE id = $1`, carol.UserID); err != nil {
		t.Fatal(err)
	}
	refresh(h, carol.RefreshToken).Fails(fault.Auth)
	carol.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
	if n := len(h.Events(session.KindRefreshed)); n != 0 {
		t.Errorf("%d sessions were refreshed", n)
	}
}

// What this service never made ends nothing and is not looked up.
func TestForgedRefreshTokens(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	foreign := harness.On(t, harness.SQLite(t), "JWT_SECRET=Zr7VwYt2LmXe8BnPc5HsDfGjKa4U3kq9")
	good := alice.RefreshToken
	here := h.Anonymous().From(3)
	for _, token := range []string{
		"x", "rt_", good[:len(good)-1], good + "A", good[:10] + "A" + good[11:], strings.ToUpper(good), " " + good, good + "=",
		alice.AccessToken[:500], strings.Repeat("x", 512), foreign.SignUp(authAddress).RefreshToken,
	} {
		if token == good {
			continue
		}
		here.Do("AUTH.REFRESH", P{"refresh_token": token}).Fails(fault.Auth)
	}
	refresh(h, good).OK()
}

func TestDryRefresh(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		alice := h.SignUp(authAddress)
		dry := func() *harness.Reply {
			return h.Anonymous().DryRun().Do("AUTH.REFRESH", P{"refresh_token": alice.RefreshToken})
		}
		r := dry().OK()
		if r.String("access_token") != "" || r.String("refresh_token") != "" {
			t.Error("a dry run hands tokens out")
		}
		same(t, "events of a dry run", r.Strings("dry_run.events"), []string{"session.refreshed"})
		h.Clock.Advance(time.Hour)
		next := refresh(h, alice.RefreshToken).OK().String("refresh_token") // it was not used
		h.Clock.Advance(time.Hour)
		dry().Fails(fault.Auth) // what leaked has leaked, however it is shown
		refresh(h, next).Fails(fault.Auth)
		reused(t, h, alice)
	})
}

// Limits count the session, whichever of its tokens comes and from wherever.
func TestRefreshLimit(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Superadmin().Do("RATE_LIMIT.SET", P{"command": "AUTH.REFRESH", "key": "token", "limit": 5, "window_seconds": 60}).OK()
	alice := h.SignUp(authAddress)
	token := alice.RefreshToken
	for range 5 {
		token = refresh(h, token).OK().String("refresh_token")
	}
	wait := refresh(h, token).Fails(fault.RateLimited).Failure.RetryAfter
	refresh(h, h.SignUp("bob@example.com").RefreshToken).OK()
	h.Clock.Advance(wait)
	refresh(h, token).OK() // the refusal used nothing up
}

// A hundred at once, over two replicas, get one successor.
func TestAuthParallelRefreshes(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice := here.SignUp(authAddress)
		replies := harness.Together(100, func(i int) *harness.Reply {
			return refresh([]*harness.Service{here, there}[i%2], alice.RefreshToken)
		})
		successors := map[string]bool{}
		for _, r := range replies {
			successors[r.OK().String("refresh_token")] = true
		}
		if n := len(here.Events(session.KindRefreshed)); len(successors) != 1 || n != 1 {
			t.Errorf("%d successors, %d events", len(successors), n)
		}
	})
}
