package signin_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/harness"
)

const fresh = "a new horse and battery"

func forgot(h *harness.Service, email string) *harness.Reply {
	return h.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": email})
}

func reset(h *harness.Service, token, password string) *harness.Reply {
	return h.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": token, "password": password})
}

func confirmEmail(h *harness.Service, token string) *harness.Reply {
	return h.Anonymous().Do("AUTH.VERIFY_EMAIL", P{"token": token})
}

// mailedToken is that of the newest letter to an address that holds a link. Letters
// that were asked for at one moment come in any order.
func mailedToken(h *harness.Service, email string) string {
	got := h.Mail(email)
	for _, letter := range slices.Backward(got) {
		if strings.Contains(letter.Text, "token=") {
			return letter.Token()
		}
	}
	return h.LastMail(email).Token()
}

// resetToken asks for a reset mail and returns the token in it.
func resetToken(h *harness.Service, email string) string {
	forgot(h, email).OK()
	return mailedToken(h, email)
}

// authVerified signs somebody up who verifies their address at once, in the session that
// made the account.
func authVerified(h *harness.Service, email string) *harness.Actor {
	who := h.SignUp(email)
	who.Do("AUTH.VERIFY_EMAIL", P{"token": mailedToken(h, email)}).OK()
	return who
}

func TestResetPassword(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		alice := authVerified(h, authAddress)
		h.Login(authAddress, harness.Password)
		guess(h, authAddress, 10)
		h.DeliverMail()
		token := resetToken(h, "Alice@EXAMPLE.com")
		if link := h.LastMail(authAddress).Link(); !strings.HasPrefix(link, harness.Issuer+"/recover?token=") {
			t.Errorf("the link leads to %s", link)
		}
		for range 2 { // A password that is refused does not use the token.
			reset(h, token, "password").Fails(fault.Validation).Field("/password")
			reset(h, token, authAddress).Fails(fault.Validation).Field("/password")
		}
		r := reset(there, token, fresh).OK()
		if !r.Bool("reset") || r.Int("sessions_revoked") != 2 {
			t.Errorf("answer = %v", r.Data)
		}
		if reset(h, token, fresh+"!").Fails(fault.Auth); hash(t, h, alice.UserID) == "" {
			t.Error("there is no password")
		}
		alice.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
		refresh(h, alice.RefreshToken).Fails(fault.Auth)
		login(h, authAddress, harness.Password).Fails(fault.Auth)
		login(h, authAddress, fresh).OK() // The lock is lifted.
		if n := len(h.Events(credential.KindReset)); n != 1 {
			t.Errorf("%d events password.reset", n)
		}
		if e := h.Events(credential.KindResetRequested); len(e) != 1 || string(e[0].Data) != "{}" || e[0].UserID != "" {
			t.Errorf("events = %+v", e)
		}
	})
}

func TestAResetEndsWhatElseWasMailed(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := authVerified(h, authAddress)
	first, second := resetToken(h, authAddress), resetToken(h, authAddress)
	alice.Do("USER.CHANGE_EMAIL", P{"new_email": "thief@example.com", "password": harness.Password}).OK()
	moving := mailedToken(h, "thief@example.com")
	reset(h, second, fresh).OK()
	reset(h, first, fresh).Fails(fault.Auth)
	confirmEmail(h, moving).Fails(fault.Auth)
}

// A change of address that was asked for before a reset does not work after it,
// even if its mail was delayed until then.
func TestResetCancelsPendingAddressChange(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := authVerified(h, authAddress)
	token := resetToken(h, authAddress)
	alice.Do("USER.CHANGE_EMAIL", P{"new_email": "thief@example.com", "password": harness.Password}).OK()
	h.Clock.Advance(time.Minute)
	reset(h, token, fresh).OK()
	confirmEmail(h, mailedToken(h, "thief@example.com")).Fails(fault.Auth)
	login(h, authAddress, fresh).OK()
}

func TestAResetTokenEnds(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := authVerified(h, authAddress)
	token := resetToken(h, authAddress)
	h.Clock.Advance(30*time.Minute - time.Second)
	reset(h, token, "password").Fails(fault.Validation)
	h.Clock.Advance(time.Second)
	reset(h, token, fresh).Fails(fault.Auth)

	token = resetToken(h, authAddress)
	root := h.Superadmin()
	root.Do("USER.DISABLE", P{"user_id": alice.UserID}).OK()
	reset(h, token, fresh).Fails(fault.Auth)
	root.Do("USER.ENABLE", P{"user_id": alice.UserID}).OK()
	reset(h, token, fresh).Fails(fault.Auth)

	h.Clock.Advance(time.Hour)
	token = resetToken(h, authAddress)
	h.Superadmin().Do("USER.SET_EMAIL", P{"user_id": alice.UserID, "email": "other@example.com"}).OK()
	reset(h, token, fresh).Fails(fault.Auth)
	for _, token := range []string{"", "x", strings.Repeat("x", 256), token + "x", token[1:]} {
		if r := reset(h, token, fresh); r.Failure == nil {
			t.Errorf("the token %q was taken", token)
		}
	}
}

// Unknown, disabled and passwordless accounts answer like any other, and nobody is
// mailed who shall not.
func TestForgotPasswordTellsNothing(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	off := h.SignUp("off@example.com")
	root.Do("USER.DISABLE", P{"user_id": off.UserID}).OK()
	root.Do("USER.CREATE", P{"email": "bare@example.com"}).OK()
	before := len(h.Mail("off@example.com"))
	for _, email := range []string{"off@example.com", "bare@example.com", "unknown@example.com"} {
		for _, command := range []string{"AUTH.FORGOT_PASSWORD", "AUTH.RESEND_VERIFICATION"} {
			if r := h.Anonymous().Do(command, P{"email": email}).OK(); keys(r.Data) != "sent" || !r.Bool("sent") {
				t.Errorf("%s of %s = %v", command, email, r.Data)
			}
		}
	}
	if n := len(h.Mail("off@example.com")); n != before {
		t.Errorf("a disabled account got %d mails", n-before)
	}
	if n := len(h.Mail("unknown@example.com")); n != 0 {
		t.Errorf("an address without an account got %d mails", n)
	}
	bare := h.Mail("bare@example.com")
	if len(bare) != 2 {
		t.Fatalf("an account without a password got %d mails, want 2", len(bare))
	}
	reset(h, bare[0].Token(), fresh).OK()
	login(h, "bare@example.com", fresh).OK()
}

// The limit of an address holds however it is spelled, and for unknown ones alike.
func TestMailLimits(t *testing.T) {
	t.Parallel()
	for command, most := range map[string]int{"AUTH.FORGOT_PASSWORD": 3, "AUTH.RESEND_VERIFICATION": 3, "AUTH.PASSWORDLESS_START": 5} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			h.SignUp(authAddress)
			for _, email := range []string{authAddress, "unknown@example.com"} {
				for i := range most {
					spelled := email
					if i%2 == 1 {
						spelled = strings.ToUpper(email)
					}
					h.Anonymous().Do(command, P{"email": spelled}).OK()
				}
				if r := h.Anonymous().Do(command, P{"email": email}).Fails(fault.RateLimited); r.Failure.RetryAfter <= 0 {
					t.Errorf("retry after %v", r.Failure.RetryAfter)
				}
			}
			h.Clock.Advance(time.Hour)
			h.Anonymous().Do(command, P{"email": authAddress}).OK()
		})
	}
}

// Of many who come with one link at once, one succeeds, on two replicas as well.
func TestALinkWorksOnce(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		h.SignUp(authAddress)
		verification, resetting := mailedToken(h, authAddress), resetToken(h, authAddress)
		for command, params := range map[string]P{
			"AUTH.VERIFY_EMAIL": {"token": verification}, "AUTH.RESET_PASSWORD": {"token": resetting, "password": fresh},
		} {
			got := harness.Codes(harness.Together(6, func(i int) *harness.Reply {
				return []*harness.Service{h, there}[i%2].Anonymous().Do(command, params)
			}))
			if got[""] != 1 || got[fault.Auth] != 5 {
				t.Errorf("%s six times at once = %v", command, got)
			}
		}
	})
}

func TestVerifyEmail(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		alice := h.SignUp(authAddress)
		letter := h.LastMail(authAddress)
		if letter.To.String() != authAddress || alice.Do("USER.ME", nil).Bool("email_verified") {
			t.Errorf("the letter went to %s", letter.To)
		}
		h.Superadmin().Do("USER.SET_REQUIRED_ACTIONS", P{"user_id": alice.UserID, "actions": []string{"verify_email"}}).OK()
		if r := login(h, authAddress, harness.Password).OK(); strings.Join(r.Strings("required_actions"), " ") != "verify_email" {
			t.Errorf("login = %v", r.Data)
		}
		h.Clock.Advance(24*time.Hour - time.Second)
		confirmEmail(h, letter.Token()).OK()
		if r := login(h, authAddress, harness.Password).OK(); !r.Has("access_token") {
			t.Errorf("login = %v", r.Data)
		}
		same(t, "user.email_verified", data(h, user.KindEmailVerified), []string{`{"user_id":"` + alice.UserID + `"}`})
		confirmEmail(h, letter.Token()).Fails(fault.Auth)
	})
}

func TestResendVerification(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp(authAddress)
	first := mailedToken(h, authAddress)
	h.Anonymous().Do("AUTH.RESEND_VERIFICATION", P{"email": authAddress}).OK()
	second := mailedToken(h, authAddress)
	if first == second {
		t.Error("no other mail came")
	}
	h.Clock.Advance(24 * time.Hour)
	confirmEmail(h, second).Fails(fault.Auth)
	h.Anonymous().Do("AUTH.RESEND_VERIFICATION", P{"email": strings.ToUpper(authAddress)}).OK()
	last := P{"token": mailedToken(h, authAddress), "password": harness.Password}
	if r := h.Anonymous().Do("AUTH.VERIFY_EMAIL", last).OK(); r.String("email") != authAddress || !r.Bool("bound") {
		t.Errorf("verified = %v", r.Data)
	}
	before := len(h.Mail(authAddress))
	h.Anonymous().Do("AUTH.RESEND_VERIFICATION", P{"email": authAddress}).OK()
	if n := len(h.Mail(authAddress)); n != before {
		t.Error("a verified address got another mail to verify it")
	}
	if e := h.Events(user.KindVerificationRequested); len(e) != 3 || string(e[0].Data) != "{}" {
		t.Errorf("events = %+v", e)
	}
}

// Somebody who made an account of an address that is not theirs has nothing of it
// once the owner comes: no session, password, key or link.
func TestAClaimedAccountIsTheOwnersAlone(t *testing.T) {
	t.Parallel()
	ways := map[string]func(h *harness.Service) *harness.Reply{
		"reset": func(h *harness.Service) *harness.Reply {
			reset(h, resetToken(h, authAddress), fresh).OK()
			return login(h, authAddress, fresh)
		},
		"code": func(h *harness.Service) *harness.Reply { return byCode(h) },
		"link": func(h *harness.Service) *harness.Reply {
			authStart(h, P{"email": authAddress, "method": "link"}).OK()
			return enter(h, P{"token": mailedToken(h, authAddress)})
		},
	}
	for name, come := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
				thief := h.SignUp(authAddress)
				key := thief.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"members:read"}}).String("key")
				thief.Do("USER.CHANGE_EMAIL", P{"new_email": "thief@example.com", "password": harness.Password}).OK()
				moving := mailedToken(h, "thief@example.com")
				owner := h.With(come(h).OK().String("access_token"))
				if me := owner.Do("USER.ME", nil).OK(); !me.Bool("email_verified") || me.String("id") != thief.UserID {
					t.Errorf("the owner is %v", me.Data)
				}
				thief.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
				refresh(h, thief.RefreshToken).Fails(fault.Auth)
				h.With(key).Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
				login(h, authAddress, harness.Password).Fails(fault.Auth)
				confirmEmail(h, moving).Fails(fault.Auth)
				same(t, "user.email_verified", data(h, user.KindEmailVerified), []string{`{"user_id":"` + thief.UserID + `","bound":true,"claimed":true}`})
				if e := h.Events(session.KindRevoked); len(e) == 0 || !strings.Contains(string(e[len(e)-1].Data), session.ByClaim) {
					t.Errorf("session.revoked = %+v", e)
				}
			})
		})
	}
}

// What the owner of a verified address set up stays.
func TestAVerifiedAccountKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := authVerified(h, authAddress)
	key := alice.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"members:read"}}).String("key")
	byCode(h).OK()
	alice.Do("AUTH.WHOAMI", nil).OK()
	login(h, authAddress, harness.Password).OK()
	h.With(key).Do("AUTH.WHOAMI", nil).OK()
	device := alice.Passkey()
	reset(h, resetToken(h, authAddress), fresh).OK()
	h.LoginByPasskey(device).OK()
}

// Another link ends the one before it. A link that an administrator hands over stays: anybody can
// ask for a mail.
func TestANewLinkReplacesTheOneBefore(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := authVerified(h, authAddress)
		handed := h.Superadmin().Do("USER.TICKET_CREATE", P{"user_id": alice.UserID, "purpose": "password_reset"}).OK().String("token")
		authVerified(h, "bob@example.com")
		others := resetToken(h, "bob@example.com")
		first, second := resetToken(h, authAddress), resetToken(h, authAddress)
		reset(h, first, fresh).Fails(fault.Auth)
		reset(h, handed, fresh).OK()
		reset(h, second, fresh).Fails(fault.Auth) // it was mailed for the password before
		reset(h, resetToken(h, authAddress), fresh+"!").OK()
		reset(h, others, fresh).OK()
	})
}

// A reset lists the apps of the personal workspace, which go on working.
func TestAResetListsApps(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := authVerified(h, authAddress)
		id := alice.Do("APP.REGISTER", P{"name": "Robot", "slug": "robot"}).OK().String("app.id")
		off := alice.Do("APP.REGISTER", P{"name": "Off", "slug": "off"}).OK().String("app.id")
		alice.Do("APP.UPDATE", P{"app_id": off, "enabled": false}).OK()
		team := alice.Do("TEAM.CREATE", P{"name": "Team"}).OK().String("organization.id")
		alice.Do("APP.REGISTER", P{"org_id": team, "name": "Shared", "slug": "shared"}).OK()
		left := reset(h, resetToken(h, authAddress), fresh).OK().List("remaining")
		if len(left) != 1 || left[0]["kind"] != "app" || left[0]["id"] != id || left[0]["name"] != "Robot" || left[0]["end_by"] != "APP.DELETE" {
			t.Errorf("remaining = %v", left)
		}
	})
}
