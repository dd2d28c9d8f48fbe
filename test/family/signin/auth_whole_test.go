package signin_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// A link or code is one factor: whoever has a second one is asked for it, and no
// link stands in for it.
func TestLinksAreNoSecondFactor(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		root, alice := h.Superadmin(), authVerified(h, authAddress)
		enrolling := root.Do("USER.TICKET_CREATE", P{"user_id": alice.UserID, "purpose": "mfa_enroll"}).String("token")
		app := alice.EnrollApp()
		r := reset(h, resetToken(h, authAddress), fresh).OK()
		if keys(r.Data) != "codes_revoked grants_revoked keys_revoked remaining reset sessions_revoked" {
			t.Errorf("a reset answers %v", r.Data)
		}
		asked := func(what string, r *harness.Reply) string {
			t.Helper()
			if r.OK(); !r.Bool("mfa_required") || r.Has("access_token") {
				t.Errorf("%s answers %v", what, r.Data)
			}
			return r.String("challenge_token")
		}
		asked("a login by the new password", login(h, authAddress, fresh))
		authStart(h, P{"email": authAddress, "method": "link"}).OK()
		asked("a mailed link", enter(h, P{"token": mailedToken(h, authAddress)}))
		ticket := root.Do("USER.TICKET_CREATE", P{"user_id": alice.UserID, "purpose": "login"}).String("token")
		asked("a ticket", enter(h, P{"token": ticket}))
		challenge := asked("a mailed code", byCode(h))
		if r := authVerify(h, challenge, "totp", app.Code()).OK(); !r.Has("access_token") {
			t.Errorf("the second factor answers %v", r.Data)
		}
		// What was made while there was no factor opens nothing once there is one.
		enter(h, P{"token": enrolling}).Fails(fault.Auth)
		root.Do("USER.TICKET_CREATE", P{"user_id": alice.UserID, "purpose": "mfa_enroll"}).Fails(fault.Validation).Field("/purpose")
	})
}

// Somebody without a factor enrolls one by a ticket, and logs in by it then.
func TestEnrollmentByTicket(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), authVerified(h, authAddress)
	token := root.Do("USER.TICKET_CREATE", P{"user_id": alice.UserID, "purpose": "mfa_enroll"}).String("token")
	in := enter(h, P{"token": token}).OK()
	if strings.Join(in.Strings("required_actions"), " ") != "enroll_mfa" || in.Has("access_token") || in.Has("refresh_token") {
		t.Fatalf("the ticket opens %v", in.Data)
	}
	h.With(in.String("challenge_token")).EnrollApp()
	if r := login(h, authAddress, harness.Password).OK(); !r.Bool("mfa_required") {
		t.Errorf("login = %v", r.Data)
	}
}

// A reset forgets the devices that skip the second factor.
func TestAResetForgetsDevices(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		app := authVerified(h, authAddress).EnrollApp()
		device := h.LoginBy(authAddress, app).Do("DEVICE.TRUST", P{"name": "laptop"}).OK().String("device_token")
		by := func(password string) *harness.Reply {
			return h.Anonymous().Do("AUTH.LOGIN", P{"email": authAddress, "password": password, "device_token": device}).OK()
		}
		if r := by(harness.Password); !r.Has("access_token") {
			t.Fatalf("a remembered device is answered %v", r.Data)
		}
		reset(h, resetToken(h, authAddress), fresh).OK()
		if r := by(fresh); !r.Bool("mfa_required") {
			t.Errorf("after a reset the device is answered %v", r.Data)
		}
	})
}

// Whoever has the mailbox set the password by it: for a day its codes are no second
// factor beside another one. A ticket to reset is no mail, and the only factor stays one.
func TestAResetDistrustsMail(t *testing.T) {
	t.Parallel()
	ticket := func(h *harness.Service, who *harness.Actor) string {
		return h.Superadmin().Do("USER.TICKET_CREATE", P{"user_id": who.UserID, "purpose": "password_reset"}).OK().String("token")
	}
	mailed := func(h *harness.Service, _ *harness.Actor) string { return resetToken(h, authAddress) }
	app := func(who *harness.Actor) { who.EnrollApp() }
	passkey := func(who *harness.Actor) { who.Passkey() }
	for name, c := range map[string]struct {
		beside func(who *harness.Actor)
		link   func(h *harness.Service, who *harness.Actor) string
		later  time.Duration
		want   string
	}{
		"beside an app":               {app, mailed, 0, "totp recovery_code"},
		"beside a passkey":            {passkey, mailed, 0, "recovery_code passkey"},
		"until a day has passed":      {app, mailed, 24*time.Hour - 2*time.Minute, "totp recovery_code"},
		"a day later":                 {app, mailed, 24*time.Hour + 2*time.Minute, "totp email recovery_code"},
		"by a ticket":                 {app, ticket, 0, "totp email recovery_code"},
		"where it is the only factor": {func(*harness.Actor) {}, mailed, 0, "email recovery_code"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
				alice := authVerified(h, authAddress)
				alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
				alice.Do("AUTH.MFA_VERIFY", P{"code": h.MailedCode(authAddress)}).OK()
				c.beside(alice)
				reset(h, c.link(h, alice), fresh).OK()
				h.Clock.Advance(c.later) // The clocks of two replicas are some seconds apart.
				if there != h {
					there.Clock.Advance(c.later)
				}
				waiting := login(there, authAddress, fresh).OK()
				if got := strings.Join(waiting.Strings("methods"), " "); got != c.want {
					t.Errorf("methods = %q, want %q", got, c.want)
				}
				sent := there.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": waiting.String("challenge_token")})
				if mails := sent.Failure == nil; mails != strings.Contains(c.want, "email") {
					t.Errorf("a code is mailed: %v", mails)
				}
			})
		})
	}
}

func TestMethodListNamesProviders(t *testing.T) {
	t.Parallel()
	h := harness.On(t, harness.SQLite(t), "GITHUB_CLIENT_ID=id", "GITHUB_CLIENT_SECRET=secret of the client")
	r := h.Anonymous().Do("AUTH.METHOD_LIST", nil).OK()
	same(t, "providers", r.Strings("providers"), []string{"github"})
	same(t, "methods", r.Strings("methods"), []string{"password", "passkey", "code", "link", "social"})
}
