package people_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/harness"
)

func confirm(h *harness.Service, token string) *harness.Reply {
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

func TestChangeEmail(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		verification := mailedToken(h, "alice@example.com")
		r := alice.Do("USER.CHANGE_EMAIL", P{"new_email": "New@Example.com", "password": harness.Password}).OK()
		if r.String("pending_email") != "New@example.com" || !r.Bool("sent") {
			t.Errorf("answer = %v", r.Data)
		}
		if me := alice.Do("USER.ME", nil); me.String("email") != "alice@example.com" {
			t.Errorf("the address is %s already", me.String("email"))
		}
		confirmation := h.LastMail("new@example.com")
		// Nobody has proved the present address: the mail does not say what alice wrote.
		if letter := h.LastMail("alice@example.com"); strings.Contains(letter.Text, "New@example.com") || !strings.Contains(letter.Text, "Someone asked to change") || strings.Contains(letter.Text, confirmation.Token()) {
			t.Errorf("the present address is told %s", letter.Text)
		}
		if !strings.HasPrefix(confirmation.Link(), harness.Issuer+"/verify?token=") {
			t.Errorf("the link leads to %s", confirmation.Link())
		}
		h.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": "alice@example.com"}).OK()
		resetting := mailedToken(h, "alice@example.com")
		if r := confirm(h, confirmation.Token()).OK(); r.String("email") != "New@example.com" {
			t.Errorf("confirmed = %v", r.Data)
		}
		me := alice.Do("USER.ME", nil).OK() // The session goes on.
		if me.String("email") != "New@example.com" || !me.Bool("email_verified") {
			t.Errorf("me = %v", me.Data)
		}
		if letter := h.LastMail("alice@example.com"); !strings.Contains(letter.Text, "was changed") {
			t.Errorf("the address until now is told %s", letter.Text)
		}
		confirm(h, verification).Fails(fault.Auth)
		h.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": resetting, "password": "a new horse and battery"}).Fails(fault.Auth)
		h.Login("new@example.com", harness.Password)
		h.SignUp("alice@example.com")
		events(t, h, alice.UserID, map[event.Kind]int{user.KindEmailChangeRequested: 1, user.KindEmailChanged: 1})
	})
}

func TestChangeEmailNeedsProof(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	change := func(who *harness.Actor, params P) *harness.Reply { return who.Do("USER.CHANGE_EMAIL", params) }
	change(alice, P{"new_email": "b@example.com"}).Fails(fault.Validation).Field("/password")
	change(alice, P{"new_email": "alice@example.com", "password": harness.Password}).Fails(fault.Validation).Field("/new_email")
	change(alice, P{"new_email": "b@example.com", "password": "wrong"}).Fails(fault.Auth)
	if n := len(h.Mail("b@example.com")); n != 0 {
		t.Errorf("%d mails without a proof", n)
	}

	h.Superadmin().Do("USER.CREATE", P{"email": "bare@example.com"}).OK()
	begun := h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": "bare@example.com"}).String("challenge_id")
	bare := h.With(h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"challenge_id": begun, "code": h.LastMail("bare@example.com").Code()}).String("access_token"))
	change(bare, P{"new_email": "b@example.com", "password": "any"}).Fails(fault.Auth)
	change(bare, P{"new_email": "b@example.com"}).OK()
	h.Clock.Advance(14*time.Minute + 59*time.Second)
	change(bare, P{"new_email": "c@example.com"}).OK()
}

// The domains that may register are those that an address may be changed to, however
// one comes to ask; an administrator is not bound by them.
func TestChangeEmailKeepsToTheSignupPolicy(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	confirm(h, mailedToken(h, "alice@example.com")).OK()
	root.Do("USER.CREATE", P{"email": "bare@example.com"}).OK()
	begun := h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": "bare@example.com"}).String("challenge_id")
	bare := h.With(h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"challenge_id": begun, "code": h.LastMail("bare@example.com").Code()}).String("access_token"))
	for _, values := range []P{{"blocked_domains": []string{"b\u00fccher.example"}}, {"blocked_domains": []string{}, "allowed_domains": []string{"example.com"}}} {
		root.Do("POLICY.SET", P{"kind": "signup", "values": values}).OK()
		alice.Do("USER.CHANGE_EMAIL", P{"new_email": "a@xn--bcher-kva.example", "password": harness.Password}).Fails(fault.Validation).Field("/new_email")
		bare.Do("USER.CHANGE_EMAIL", P{"new_email": "a@B\u00dcCHER.example"}).Fails(fault.Validation).Field("/new_email")
		alice.Do("USER.CHANGE_EMAIL", P{"new_email": "new@example.com", "password": harness.Password}).OK()
	}
	if n := len(h.Mail("a@xn--bcher-kva.example")); n != 0 {
		t.Errorf("%d mails to a domain that is kept out", n)
	}
	root.Do("USER.SET_EMAIL", P{"user_id": alice.UserID, "email": "a@xn--bcher-kva.example"}).OK()
}

// What nobody proved a short time ago asks for the proof again.
func TestChangeEmailNeedsPresence(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Superadmin().Do("SETTINGS.SET", P{"values": P{"access_token_seconds": 3600}}).OK()
	h.Superadmin().Do("USER.CREATE", P{"email": "bare@example.com"}).OK()
	begun := h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": "bare@example.com"}).String("challenge_id")
	bare := h.With(h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"challenge_id": begun, "code": h.LastMail("bare@example.com").Code()}).String("access_token"))
	h.Clock.Advance(15*time.Minute + time.Second)
	if r := bare.Do("USER.CHANGE_EMAIL", P{"new_email": "b@example.com"}).Fails(fault.Auth); !strings.Contains(r.Failure.Message, "AUTH.REAUTHENTICATE") {
		t.Errorf("refused with %v", r.Failure)
	}
}

// An address that somebody has, or comes to have, is told when it is confirmed.
func TestChangeToATakenAddress(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		h.SignUp("taken@example.com")
		free := alice.Do("USER.CHANGE_EMAIL", P{"new_email": "free@example.com", "password": harness.Password}).OK()
		later := mailedToken(h, "free@example.com")
		h.SignUp("free@example.com")
		confirm(h, later).Fails(fault.Validation).Field("/token")
		taken := alice.Do("USER.CHANGE_EMAIL", P{"new_email": "taken@example.com", "password": harness.Password}).OK()
		if free.Bool("sent") != taken.Bool("sent") || len(free.Data) != len(taken.Data) {
			t.Errorf("free: %v, taken: %v", free.Data, taken.Data)
		}
		confirm(h, mailedToken(h, "taken@example.com")).Fails(fault.Validation)
		confirm(h, later).Fails(fault.Auth)
		if got := alice.Do("USER.ME", nil).String("email"); got != "alice@example.com" {
			t.Errorf("the address is %s", got)
		}
	})
}

func TestChangeEmailLimit(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	for range 5 {
		alice.Do("USER.CHANGE_EMAIL", P{"new_email": "b@example.com", "password": harness.Password}).OK()
	}
	alice.Do("USER.CHANGE_EMAIL", P{"new_email": "c@example.com", "password": harness.Password}).Fails(fault.RateLimited)
}

func TestSetEmail(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice := h.Superadmin(), h.SignUp("alice@example.com")
		set := func(params P) *harness.Reply {
			params["user_id"] = alice.UserID
			return root.Do("USER.SET_EMAIL", params)
		}
		verification := mailedToken(h, "alice@example.com")
		if r := set(P{"email": "b@example.com"}).OK(); r.String("user.email") != "b@example.com" || r.Bool("user.email_verified") {
			t.Errorf("answer = %v", r.Data)
		}
		confirm(h, verification).Fails(fault.Auth)
		if letter := h.LastMail("alice@example.com"); !strings.Contains(letter.Text, "was changed") {
			t.Errorf("the address until now is told %s", letter.Text)
		}
		confirm(h, mailedToken(h, "b@example.com")).OK()
		if !set(P{"email": "B@example.com"}).OK().Bool("user.email_verified") {
			t.Error("another spelling is not verified any more")
		}
		if set(P{"email": "B@example.com", "verified": false}).OK().Bool("user.email_verified") || !set(P{"email": "B@example.com", "verified": true}).OK().Bool("user.email_verified") {
			t.Error("the mark does not follow")
		}
		set(P{"email": "B@example.com", "verified": true}).OK()
		mails := len(h.Mail("c@example.com"))
		set(P{"email": "c@example.com", "verified": true}).OK()
		if n := len(h.Mail("c@example.com")); n > mails+1 {
			t.Errorf("%d mails to an address that is verified", n)
		}
		set(P{"email": harness.AdminEmail}).Fails(fault.Validation).Field("/email")
		events(t, h, alice.UserID, map[event.Kind]int{user.KindEmailChanged: 5, user.KindEmailVerified: 1})
		dryRunRaises(t, root.DryRun().Do("USER.SET_EMAIL", P{"user_id": alice.UserID, "email": "d@example.com"}), string(user.KindEmailChanged))
	})
}

func TestSetRequiredActions(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	set := func(actions ...string) *harness.Reply {
		return root.Do("USER.SET_REQUIRED_ACTIONS", P{"user_id": alice.UserID, "actions": append([]string{}, actions...)})
	}
	userSame(t, set("change_password", "enroll_mfa").OK().Strings("required_actions"), []string{"change_password", "enroll_mfa"})
	alice.Do("USER.LIST", nil).OK() // A session that is open stays as it is.
	login := h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": harness.Password}).OK()
	userSame(t, login.Strings("required_actions"), []string{"change_password", "enroll_mfa"})
	bearer := h.With(login.String("challenge_token"))
	bearer.Do("USER.LIST", nil).Fails(fault.Denied)
	bearer.Do("USER.CHANGE_PASSWORD", change(harness.Password, "a new horse and battery")).OK()
	login = h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": "a new horse and battery"}).OK()
	userSame(t, login.Strings("required_actions"), []string{"enroll_mfa"})
	userSame(t, set().OK().Strings("required_actions"), nil)
	h.Login("alice@example.com", "a new horse and battery")
	for _, wrong := range [][]string{{"accept_documents"}, {"change_password", "change_password"}, {"x"}} {
		set(wrong...).Fails(fault.Validation)
	}
	events(t, h, alice.UserID, map[event.Kind]int{user.KindRequiredActionsSet: 2})
}

func TestTemporaryPassword(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	set := func(temporary bool) {
		root.Do("USER.SET_PASSWORD", P{"user_id": alice.UserID, "password": "a temporary battery", "temporary": temporary}).OK()
	}
	set(true)
	set(true)
	login := func() *harness.Reply {
		return h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": "a temporary battery"}).OK()
	}
	userSame(t, login().Strings("required_actions"), []string{"change_password"})
	set(false)
	if r := login(); !r.Has("access_token") {
		t.Errorf("login = %v", r.Data)
	}
	events(t, h, alice.UserID, map[event.Kind]int{user.KindRequiredActionsSet: 1})
}

// Who is invited sets the first password by the mailed link.
func TestInvites(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		root.Do("USER.CREATE", P{"email": "quiet@example.com"}).OK()
		root.Do("USER.CREATE", P{"email": "one@example.com", "send_invite": true}).OK()
		root.Do("USER.BULK_IMPORT", P{"send_invites": true, "users": []P{{"email": "two@example.com"}, {"email": "quiet@example.com"}}}).OK()
		root.DryRun().Do("USER.CREATE", P{"email": "dry@example.com", "send_invite": true}).OK()
		for _, email := range []string{"quiet@example.com", "dry@example.com"} {
			if n := len(h.Mail(email)); n != 0 {
				t.Errorf("%s got %d mails", email, n)
			}
		}
		h.DeliverMail()
		h.Clock.Advance(7*24*time.Hour - time.Second)
		for _, email := range []string{"one@example.com", "two@example.com"} {
			letter := h.LastMail(email)
			if !strings.Contains(letter.Text, "7 days") {
				t.Errorf("%s is told %s", email, letter.Text)
			}
			h.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": letter.Token(), "password": "a new horse and battery"}).OK()
			if !h.Login(email, "a new horse and battery").Do("USER.ME", nil).Bool("email_verified") {
				t.Errorf("%s is not verified", email)
			}
		}
	})
}

// Codes are mailed to the address of the account, so another one is for somebody who
// gave the second factor a short time ago.
func TestChangeEmailNeedsTheSecondFactor(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, earlier := h.SignUp("alice@example.com"), h.Login("alice@example.com", harness.Password)
		app := alice.EnrollApp()
		change := P{"new_email": "new@example.com", "password": harness.Password}
		strong := h.LoginBy("alice@example.com", app)
		trusted := strong.Do("DEVICE.TRUST", nil).OK().String("device_token")
		weak := h.With(h.Anonymous().Do("AUTH.LOGIN", P{
			"email": "alice@example.com", "password": harness.Password, "device_token": trusted,
		}).OK().String("access_token"))
		for _, one := range []*harness.Actor{earlier, weak} {
			if r := one.Do("USER.CHANGE_EMAIL", change).Fails(fault.Auth); !strings.Contains(r.Failure.Message, "AUTH.REAUTHENTICATE") {
				t.Errorf("told %q", r.Failure.Message)
			}
		}
		strong.Do("USER.CHANGE_EMAIL", change).OK()
		h.Clock.Advance(16 * time.Minute)
		strong.AccessToken = h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": strong.RefreshToken}).OK().String("access_token")
		strong.Do("USER.CHANGE_EMAIL", change).Fails(fault.Auth)
	})
}

// Whoever takes somebody's address writes them no link of their own.
func TestChangeEmailTellsNoLink(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp("alice@example.com").Do("USER.CHANGE_EMAIL", P{
		"new_email": "www.evil.example/pay?to=x@evil.example", "password": harness.Password,
	}).OK()
	letters := h.Mail("alice@example.com")
	if letter := letters[len(letters)-1]; len(letters) != 2 || strings.Contains(letter.Text+letter.HTML, "/pay") {
		t.Errorf("%d mails, the last: %s", len(letters), letter.Text)
	}
}
