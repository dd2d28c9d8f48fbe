package people_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func change(current, fresh string) P {
	return P{"current_password": current, "new_password": fresh}
}

func TestChangePasswordEndsOtherSessions(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	other, third := h.Login("alice@example.com", harness.Password), h.Login("alice@example.com", harness.Password)
	dryRunRaises(t, alice.DryRun().Do("USER.CHANGE_PASSWORD", change(harness.Password, strongPW)), "password.changed", "session.revoked", "session.revoked")
	other.Do("USER.ME", nil).OK()
	done := alice.Do("USER.CHANGE_PASSWORD", change(harness.Password, strongPW)).OK()
	if !done.Bool("changed") || done.Int("sessions_revoked") != 2 {
		t.Errorf("answered %v", done.Data)
	}
	alice.Do("USER.ME", nil).OK()
	bob.Do("USER.ME", nil).OK()
	for _, ended := range []*harness.Actor{other, third} {
		ended.Do("USER.ME", nil).Fails(fault.Auth)
		h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": ended.RefreshToken}).Fails(fault.Auth)
	}
	events(t, h, alice.UserID, map[event.Kind]int{"password.changed": 1, "session.revoked": 2})
	h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": harness.Password}).Fails(fault.Auth)
	again := h.Login("alice@example.com", strongPW)
	again.Do("USER.CHANGE_PASSWORD", P{"current_password": strongPW, "new_password": harness.Password, "keep_sessions": true}).OK()
	alice.Do("USER.ME", nil).OK()
}

func TestChangePasswordHoldsTheNewOneAgainstTheRules(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	for _, current := range []string{harness.Password, "wrong password"} {
		for _, fresh := range []string{"password", "alice@example.com", current} {
			alice.Do("USER.CHANGE_PASSWORD", change(current, fresh)).Fails(fault.Validation).Field("/new_password")
		}
	}
	alice.Do("USER.CHANGE_PASSWORD", change(harness.Password, "short")).Fails(fault.Validation).Field("/new_password")
	alice.Do("USER.CHANGE_PASSWORD", change("é correct horse", "é correct horse")).Fails(fault.Validation).Field("/new_password")
	// The strictest of all the workspaces a person belongs to holds.
	bob := h.SignUp("bob@example.com")
	userMember(h, h.Superadmin(), bob.OrgID, "mate@example.com", "member")
	bob.Do("POLICY.SET", P{"kind": "password", "values": P{"min_length": 40}, "org_id": bob.OrgID}).OK()
	mate := h.Login("mate@example.com", harness.Password)
	mate.Do("USER.CHANGE_PASSWORD", change(harness.Password, strongPW)).Fails(fault.Validation).Field("/new_password")
	alice.Do("USER.CHANGE_PASSWORD", change(harness.Password, strongPW)).OK()
}

func TestPasswordsAreComparedNormalized(t *testing.T) {
	t.Parallel()
	alice := harness.New(t).SignUp("alice@example.com")
	const composed, decomposed = "caf\u00e9 battery staple", "cafe\u0301 battery staple"
	alice.Do("USER.CHANGE_PASSWORD", change(harness.Password, composed)).OK()
	alice.Do("USER.CHANGE_PASSWORD", change(composed, decomposed)).Fails(fault.Validation).Field("/new_password")
	alice.Do("USER.CHANGE_PASSWORD", change(decomposed, strongPW)).OK()
}

func TestAStolenSessionCannotGuessThePassword(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	var message string
	for range 10 {
		message = alice.Do("USER.CHANGE_PASSWORD", change("guess", strongPW)).Fails(fault.Auth).Failure.Message
	}
	events(t, h, alice.UserID, map[event.Kind]int{"user.locked": 0, "session.guessed": 1})
	if got := alice.Do("USER.CHANGE_PASSWORD", change(harness.Password, strongPW)).Fails(fault.Auth).Failure.Message; got != message {
		t.Errorf("a session that waits answers %q, a wrong password %q", got, message)
	}
	alice.Do("USER.DELETE", P{"password": harness.Password}).Fails(fault.Auth)
	alice.Do("USER.ME", nil).OK()
	if letter := h.LastMail("alice@example.com"); !strings.Contains(letter.Subject, "Wrong passwords were entered") {
		t.Errorf("the owner is told %q", letter.Subject)
	}
	h.Login("alice@example.com", harness.Password).Do("USER.CHANGE_PASSWORD", change(harness.Password, strongPW)).OK()
}

func TestADryRunDoesNotGuessUncounted(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	for range 5 {
		alice.DryRun().Do("USER.CHANGE_PASSWORD", change("guess", strongPW)).Fails(fault.Auth)
		alice.DryRun().Do("USER.DELETE", P{"password": "guess"}).Fails(fault.Auth)
	}
	events(t, h, alice.UserID, map[event.Kind]int{"session.guessed": 1})
	alice.Do("USER.DELETE", P{"password": harness.Password}).Fails(fault.Auth)
}

func TestARightPasswordForgetsWrongOnes(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	guess := func() {
		for range 9 {
			alice.Do("USER.CHANGE_PASSWORD", change("guess", strongPW)).Fails(fault.Auth)
		}
	}
	guess()
	alice.Do("USER.CHANGE_PASSWORD", change(harness.Password, strongPW)).OK()
	guess()
	h.Login("alice@example.com", strongPW)
	events(t, h, alice.UserID, map[event.Kind]int{"user.locked": 0})
}

func TestSetPassword(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	set := func(field, value string) *harness.Reply {
		return root.Do("USER.SET_PASSWORD", P{"user_id": alice.UserID, field: value})
	}
	for _, bad := range []string{"password1", "alice@example.com"} {
		set("password", bad).Fails(fault.Validation).Field("/password")
	}
	for _, bad := range []string{"plain", "$2a$99$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy", "$argon2id$v=19$m=9999999,t=1,p=1$c29tZXNhbHQxMjM$" + long(43)} {
		set("hash", bad).Fails(fault.Validation).Field("/hash")
	}
	root.Do("USER.SET_PASSWORD", P{"user_id": alice.UserID}).Fails(fault.Validation)
	root.Do("USER.SET_PASSWORD", P{"user_id": alice.UserID, "password": strongPW, "hash": bcryptHash}).Fails(fault.Validation)
	alice.Do("USER.ME", nil).OK()
	dryRunRaises(t, root.DryRun().Do("USER.SET_PASSWORD", P{"user_id": alice.UserID, "password": strongPW}), "password.set", "session.revoked")
	lock(h, "alice@example.com")
	set("password", strongPW).OK()
	alice.Do("USER.ME", nil).Fails(fault.Auth)
	h.Login("alice@example.com", strongPW)
	set("hash", bcryptHash).OK()
	h.Login("alice@example.com", upstreamPW)
	events(t, h, alice.UserID, map[event.Kind]int{"password.set": 2, "session.revoked": 2})
}

// Hashes of other products sign their owners in, and are replaced by then. One made of a password that is not in NFC
// verifies what was typed, and afterwards every spelling.
func TestHashesOfOtherProducts(t *testing.T) {
	t.Parallel()
	apart := "pa\u0308sswort ist lang"
	decomposed, err := bcrypt.GenerateFromPassword([]byte(apart), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice := h.Superadmin(), h.SignUp("alice@example.com")
		set := func(hash string) *harness.Reply {
			return root.Do("USER.SET_PASSWORD", P{"user_id": alice.UserID, "hash": hash})
		}
		for hash, plain := range map[string]string{
			"$wp$2y$10$Q1xinFjrZeLWJBvxviIL6u834Fu.evIEFHAUVisQ5O.w9Dm0sMdES": "admin",
			"{SSHA}JFZFs0oHzxbMwkSJmYVeI8MnTDy/276a":                          "test123",
			string(decomposed):                                                apart,
		} {
			set(hash).OK()
			h.Login("alice@example.com", plain)
			h.Login("alice@example.com", plain)
		}
		set(string(decomposed)).OK()
		h.Login("alice@example.com", apart)
		h.Login("alice@example.com", "p\u00e4sswort ist lang")
		for _, known := range []string{"Django", "WordPress", "Better Auth", "$firescrypt$"} {
			if refused := fmt.Sprintf("%+v", set("sha1$salt$abcdef").Fails(fault.Validation).Failure); !strings.Contains(refused, known) {
				t.Errorf("the refusal does not name %s: %s", known, refused)
			}
		}
		done := root.Do("USER.BULK_IMPORT", P{"users": []P{{"email": "ldap@example.com", "password_hash": "{SSHA}JFZFs0oHzxbMwkSJmYVeI8MnTDy/276a"}}}).OK()
		if done.Int("imported") != 1 {
			t.Errorf("imported %v", done.Data)
		}
		h.Login("ldap@example.com", "test123")
	})
}

func TestSetPasswordForgetsDevices(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	device := h.LoginBy("alice@example.com", alice.EnrollApp()).Do("DEVICE.TRUST", nil).OK().String("device_token")
	root.Do("USER.SET_PASSWORD", P{"user_id": alice.UserID, "password": strongPW}).OK()
	login := h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": strongPW, "device_token": device}).OK()
	if !login.Has("challenge_token") {
		t.Error("a device that was remembered before still skips the second factor")
	}
}
