package signin_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	signinstore "gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/test/harness"
)

// aged lets the session of an actor become too old for what asks for presence.
func aged(h *harness.Service, a *harness.Actor) {
	h.Clock.Advance(16 * time.Minute)
	pair := refresh(h, a.RefreshToken).OK()
	a.AccessToken, a.RefreshToken = pair.String("access_token"), pair.String("refresh_token")
}

func TestReauthenticate(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		alice := h.SignUp(authAddress)
		aged(h, alice)
		alice.Do("AUTH.MFA_SETUP_TOTP", nil).Fails(fault.Auth)
		alice.Do("AUTH.REAUTHENTICATE", nil).Fails(fault.Validation).Field("/password")
		pair := alice.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).OK()
		same(t, "the result", []string{keys(pair.Data)}, []string{"access_token expires_in refresh_token token_type"})
		same(t, "session.reauthenticated", data(h, session.KindReauthenticated),
			[]string{`{"session_id":"` + alice.SessionID + `","user_id":"` + alice.UserID + `","org_id":"` + alice.OrgID + `","amr":["pwd"]}`})
		refresh(h, alice.RefreshToken).Fails(fault.Auth)

		fresh := h.Login(authAddress, harness.Password)
		fresh.Do("AUTH.MFA_SETUP_TOTP", nil).OK()
		if n := len(h.Events(session.KindCreated)); n != 2 {
			t.Errorf("%d sessions began, want the first and the last", n)
		}
	})
}

// The same session goes on: its tokens are younger, its id is the same.
func TestReauthenticateKeepsTheSession(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	aged(h, alice)
	pair := alice.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).OK()
	who := h.With(pair.String("access_token")).Do("AUTH.WHOAMI", nil).OK()
	if who.String("session_id") != alice.SessionID || who.String("auth_time") != h.Clock.Now().Format(time.RFC3339Nano) {
		t.Errorf("the session is %v", who.Data)
	}
	refresh(h, pair.String("refresh_token")).OK()
	h.With(pair.String("access_token")).Do("AUTH.MFA_SETUP_TOTP", nil).OK()
}

// A wrong password counts, also in a dry run, and makes the session wait. It locks
// authNobody out at the front door.
func TestReauthenticateIsNoOracle(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	for i := range 10 {
		who := alice
		if i%2 == 0 {
			who = alice.DryRun()
		}
		who.Do("AUTH.REAUTHENTICATE", P{"password": "wrong"}).Fails(fault.Auth)
	}
	alice.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).Fails(fault.Auth)
	other := login(h, authAddress, harness.Password).OK()
	h.With(other.String("access_token")).Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).OK()
	if n, m := len(h.Events(session.KindGuessed)), len(h.Events(credential.KindLocked)); n != 1 || m != 0 {
		t.Errorf("%d events session.guessed and %d locks, want 1 and none", n, m)
	}
	alice.Do("SESSION.LIST", nil).OK()
	h.Clock.Advance(15 * time.Minute)
	alice.AccessToken = refresh(h, alice.RefreshToken).OK().String("access_token")
	dry := alice.DryRun().Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).OK()
	if dry.String("access_token") != "" {
		t.Error("a dry run hands tokens out")
	}
}

// Where a second factor is enrolled, the password alone proves no presence, and the
// session that was to be refreshed must still be there.
func TestReauthenticateBySecondFactor(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		alice := h.SignUp(authAddress)
		app := alice.EnrollApp()
		aged(h, alice)
		challenge := func() string {
			r := alice.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).OK()
			if !r.Bool("mfa_required") || r.Has("access_token") {
				t.Errorf("the answer = %v", r.Data)
			}
			return r.String("challenge_token")
		}
		token, other := challenge(), challenge()
		pair := authVerify(h, token, "totp", app.Code()).OK()
		alice.AccessToken, alice.RefreshToken = pair.String("access_token"), pair.String("refresh_token")
		who := alice.Do("AUTH.WHOAMI", nil).OK()
		same(t, "amr", who.Strings("amr"), []string{"pwd", "otp", "mfa"})
		if who.String("session_id") != alice.SessionID {
			t.Error("another session answered")
		}
		alice.Do("AUTH.MFA_SETUP_TOTP", nil).OK()

		h.Clock.Advance(harness.Step)
		alice.Do("AUTH.LOGOUT", nil).OK()
		before := begun(h)
		authVerify(h, other, "totp", app.Code()).Fails(fault.Auth)
		authVerify(h, h.Challenge(authAddress), "totp", app.Code()).Fails(fault.Auth)
		if begun(h) != before {
			t.Error("a proof of presence opened a session")
		}
	})
}

// withoutPassword makes an account that has none, and logs it in by a mailed code.
func withoutPassword(h *harness.Service) *harness.Actor {
	h.Superadmin().Do("USER.CREATE", P{"email": authAddress, "email_verified": true}).OK()
	return byMail(h)
}

func byMail(h *harness.Service) *harness.Actor {
	started := h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": authAddress}).OK()
	pair := h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"challenge_id": started.String("challenge_id"), "code": h.MailedCode(authAddress)}).OK()
	return taken(h, pair)
}

// taken is who stands behind a token pair.
func taken(h *harness.Service, pair *harness.Reply) *harness.Actor {
	a := h.With(pair.String("access_token"))
	a.RefreshToken = pair.String("refresh_token")
	a.SessionID = a.Do("AUTH.WHOAMI", nil).OK().String("session_id")
	return a
}

// Who has no password proves presence by a mailed code, or by a factor where there
// is one.
func TestReauthenticateWithoutPassword(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := withoutPassword(h)
	aged(h, alice)
	alice.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).Fails(fault.Auth)
	asked := alice.Do("AUTH.REAUTHENTICATE", nil).OK()
	same(t, "methods", asked.Strings("methods"), []string{"email"})
	token := asked.String("challenge_token")
	h.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": token}).OK()
	code := h.MailedCode(authAddress)
	authVerify(h, token, "totp", code).Fails(fault.Auth)
	again := taken(h, authVerify(h, token, "email", code).OK())
	same(t, "amr by mail", again.Do("AUTH.WHOAMI", nil).OK().Strings("amr"), []string{"otp"})
	if again.SessionID != alice.SessionID {
		t.Error("another session answered")
	}

	app := again.EnrollApp()
	aged(h, again)
	asked = again.Do("AUTH.REAUTHENTICATE", nil).OK()
	same(t, "methods", asked.Strings("methods"), []string{"totp", "recovery_code"})
	h.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": asked.String("challenge_token")}).Fails(fault.Validation)
	last := taken(h, authVerify(h, asked.String("challenge_token"), "totp", app.Code()).OK())
	same(t, "amr by an app", last.Do("AUTH.WHOAMI", nil).OK().Strings("amr"), []string{"otp", "mfa"})
	last.Do("AUTH.MFA_SETUP_TOTP", nil).OK()
}

// While far more logins fail than usual, a second factor is asked for wherever there
// is one, remembered device or not.
func TestSpikeAsksForASecondFactor(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp(authAddress).Passkey()
	h.SignUp("bob@example.com")
	if got := methods(h, authAddress); got != nil {
		t.Errorf("a passkey asks for %q", got)
	}
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) signin.LoginFailures { return signinstore.LoginFailures(tx) })
	err := unit.Do(t.Context(), func(tx signin.LoginFailures) error {
		return tx.SetSpike(t.Context(), loginevent.Spike{StartedAt: h.Clock.Now(), Until: h.Clock.Now().Add(5 * time.Minute)})
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "methods under the guard", methods(h, authAddress), []string{"passkey"})
	if got := methods(h, "bob@example.com"); got != nil {
		t.Errorf("an account without a second factor is asked for %q", got)
	}
	h.Clock.Advance(5 * time.Minute)
	if got := methods(h, authAddress); got != nil {
		t.Errorf("after the guard a passkey asks for %q", got)
	}
}

// Sealed is what must be: neither a secret nor an address stands in the table, and
// no code in any event.
func TestFactorsAreSealed(t *testing.T) {
	t.Parallel()
	const key = "ENCRYPTION_KEY=1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	h := harness.On(t, harness.Postgres(t), key)
	alice := h.SignUp(authAddress)
	app := alice.EnrollApp()
	h.LoginBy(authAddress, app)
	var content string
	if err := h.Store.Database().Read.GetContext(t.Context(), &content, `SELECT content FROM second_factors WHERE user_id = $1`, alice.UserID); err != nil {
		t.Fatal(err)
	}
	for _, plain := range []string{app.Secret, app.FactorID, "Recovery"} {
		if strings.Contains(content, plain) {
			t.Errorf("%s stands in clear: %.80s", plain, content)
		}
	}
	for _, e := range h.Events("") {
		for _, hidden := range []string{app.Secret, app.RecoveryCodes[0], authAddress} {
			if strings.Contains(string(e.Data), hidden) {
				t.Errorf("%s tells %s", e.Kind, hidden)
			}
		}
	}
}
