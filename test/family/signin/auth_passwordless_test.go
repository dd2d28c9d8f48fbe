package signin_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/test/harness"
)

func authStart(h *harness.Service, params P) *harness.Reply {
	return h.Anonymous().Do("AUTH.PASSWORDLESS_START", params)
}

func enter(h *harness.Service, params P) *harness.Reply {
	return h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", params)
}

// byCode logs the person of these tests in by a mailed code.
func byCode(h *harness.Service) *harness.Reply {
	begun := authStart(h, P{"email": authAddress}).OK()
	return enter(h, P{"challenge_id": begun.String("challenge_id"), "code": h.MailedCode(authAddress)})
}

// wrongCode is a code that was not mailed.
func wrongCode(right string) string {
	if right == "000000" {
		return "000001"
	}
	return "000000"
}

func TestLoginByCode(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		alice := authVerified(h, authAddress)
		guess(h, authAddress, 10) // A lock by passwords does not keep the owner out.
		h.DeliverMail()
		begun := authStart(h, P{"email": " ALICE@example.com "}).OK()
		if keys(begun.Data) != "challenge_id expires_in" || begun.Int("expires_in") != 600 {
			t.Errorf("begun = %v", begun.Data)
		}
		answer := P{"challenge_id": begun.String("challenge_id"), "code": h.MailedCode(authAddress)}
		got := harness.Together(6, func(i int) *harness.Reply { return enter([]*harness.Service{h, there}[i%2], answer) })
		if n := harness.Codes(got); n[""] != 1 || n[fault.Auth] != 5 {
			t.Fatalf("a code six times at once = %v", n)
		}
		for _, one := range got {
			if one.Failure != nil {
				continue
			}
			who := h.With(one.String("access_token")).Do("AUTH.WHOAMI", nil).OK()
			if who.String("subject") != alice.UserID || strings.Join(who.Strings("amr"), " ") != "otp" {
				t.Errorf("logged in as %v", who.Data)
			}
		}
		if e := h.Events(loginevent.KindCodeRequested); len(e) != 1 || string(e[0].Data) != `{"method":"code"}` {
			t.Errorf("login.code_requested = %+v", e)
		}
	})
}

func TestFiveWrongCodesEndTheLogin(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		alice := authVerified(h, authAddress)
		begun := authStart(h, P{"email": authAddress}).OK().String("challenge_id")
		right := h.MailedCode(authAddress)
		for i := range 4 {
			enter([]*harness.Service{h, there}[i%2], P{"challenge_id": begun, "code": wrongCode(right)}).Fails(fault.Auth)
		}
		failed := h.Events(loginevent.KindFailed)
		if len(failed) != 4 || string(failed[0].Data) != `{"user_id":"`+alice.UserID+`","reason":"`+loginevent.WrongCode+`"}` {
			t.Errorf("login.failed = %+v", failed)
		}
		enter(h, P{"challenge_id": begun, "code": wrongCode(right)}).Fails(fault.Auth)
		enter(h, P{"challenge_id": begun, "code": right}).Fails(fault.Auth)

		advance(h, there, 2*time.Hour) // The wrong ones count for their address too.
		begun = authStart(h, P{"email": authAddress}).OK().String("challenge_id")
		right = h.MailedCode(authAddress)
		harness.Together(8, func(int) *harness.Reply { return enter(h, P{"challenge_id": begun, "code": wrongCode(right)}) })
		enter(h, P{"challenge_id": begun, "code": right}).Fails(fault.Auth)
		if n := len(h.Events(loginevent.KindFailed)); n != 10 {
			t.Errorf("%d wrong codes were counted, want 10", n)
		}
	})
}

// A dry run is no way to guess without being counted.
func TestDryCodesCount(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	authVerified(h, authAddress)
	begun := authStart(h, P{"email": authAddress}).OK().String("challenge_id")
	right := h.MailedCode(authAddress)
	dry := func(code string) *harness.Reply {
		return h.Anonymous().DryRun().Do("AUTH.PASSWORDLESS_VERIFY", P{"challenge_id": begun, "code": code})
	}
	if r := dry(right).OK(); r.String("access_token") != "" {
		t.Error("a dry login hands tokens out")
	}
	for range 5 {
		dry(wrongCode(right)).Fails(fault.Auth)
	}
	enter(h, P{"challenge_id": begun, "code": right}).Fails(fault.Auth)
}

// Unknown and disabled accounts answer like any other, and no code is right.
func TestCodesForNobody(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	off := authVerified(h, "off@example.com")
	h.Superadmin().Do("USER.DISABLE", P{"user_id": off.UserID}).OK()
	known := authVerified(h, authAddress)
	want := enter(h, P{"challenge_id": authStart(h, P{"email": authAddress}).String("challenge_id"), "code": "x"}).Fails(fault.Auth).Failure.Message
	for _, email := range []string{"off@example.com", "unknown@example.com"} {
		begun := authStart(h, P{"email": email}).OK()
		for _, code := range []string{"x", "000000", "challenge"} {
			if got := enter(h, P{"challenge_id": begun.String("challenge_id"), "code": code}).Fails(fault.Auth).Failure.Message; got != want {
				t.Errorf("%s is told %q, a known one %q", email, got, want)
			}
		}
	}
	if before := len(h.Mail("off@example.com")); before != 1 {
		t.Errorf("a disabled account got %d mails", before)
	}
	_ = known
	enter(h, P{"challenge_id": "never made", "code": "000000"}).Fails(fault.Auth)
}

func TestCodesEnd(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := authVerified(h, authAddress)
	begin := func() P {
		begun := authStart(h, P{"email": authAddress}).OK().String("challenge_id")
		return P{"challenge_id": begun, "code": h.MailedCode(authAddress)}
	}
	late := begin()
	h.Clock.Advance(10 * time.Minute)
	enter(h, late).Fails(fault.Auth)

	replaced := begin()
	h.Clock.Advance(time.Second)
	h.Login(authAddress, harness.Password).Do("USER.CHANGE_PASSWORD", P{"current_password": harness.Password, "new_password": fresh}).OK()
	enter(h, replaced).Fails(fault.Auth)

	moved := begin()
	h.Superadmin().Do("USER.SET_EMAIL", P{"user_id": alice.UserID, "email": "moved@example.com", "verified": true}).OK()
	enter(h, moved).Fails(fault.Auth)

	authStart(h, P{"email": "moved@example.com", "method": "link"}).OK()
	link := mailedToken(h, "moved@example.com")
	h.Clock.Advance(15 * time.Minute)
	enter(h, P{"token": link}).Fails(fault.Auth)
}

func TestLoginByLink(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		alice := authVerified(h, authAddress)
		begun := authStart(h, P{"email": authAddress, "method": "link"}).OK()
		letter := h.LastMail(authAddress)
		if begun.Int("expires_in") != 900 || !strings.HasPrefix(letter.Link(), harness.Issuer+"/login?token=") {
			t.Errorf("begun = %v, link = %s", begun.Data, letter.Link())
		}
		enter(h, P{"token": begun.String("challenge_id")}).Fails(fault.Auth)
		got := harness.Together(4, func(i int) *harness.Reply {
			return enter([]*harness.Service{h, there}[i%2], P{"token": letter.Token()})
		})
		if n := harness.Codes(got); n[""] != 1 || n[fault.Auth] != 3 {
			t.Fatalf("a link four times at once = %v", n)
		}
		for _, one := range got {
			if one.Failure == nil && h.With(one.String("access_token")).Do("USER.ME", nil).String("id") != alice.UserID {
				t.Error("somebody else is logged in")
			}
		}
	})
}

func TestWhatToVerifyALoginBy(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for _, params := range []P{
		{},
		{"challenge_id": "x"},
		{"code": "x"},
		{"challenge_id": "x", "token": "x"},
		{"code": "x", "token": "x"},
		{"challenge_id": "x", "code": "x", "token": "x"},
	} {
		enter(h, params).Fails(fault.Validation)
	}
}

// The address of a link must be registered, exactly, by the operator.
func TestLinkAddressMustBeRegistered(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		h := harness.On(t, database, "SOCIAL_REDIRECT_URLS=https://listed.example/cb,http://localhost:3000/cb?x=1")
		alice, root := authVerified(h, authAddress), h.Superadmin()
		register := func(who *harness.Actor, slug, url string) string {
			return who.Do("APP.REGISTER", P{"name": slug, "slug": slug, "type": "web", "redirect_urls": []string{url}}).OK().String("app.id")
		}
		app := register(root, "ours", "https://app.example/cb")
		register(alice, "theirs", "https://evil.example/cb")
		// The limit of the address is not what is tested here.
		root.Do("RATE_LIMIT.SET", P{"command": "AUTH.PASSWORDLESS_START", "key": "email", "limit": 1000, "window_seconds": 60}).OK()
		try := func(to string) *harness.Reply {
			return authStart(h, P{"email": authAddress, "method": "link", "redirect_uri": to})
		}
		for to, want := range map[string]string{
			"https://listed.example/cb": "https://listed.example/cb?token=", "https://app.example/cb": "https://app.example/cb?token=",
			"http://localhost:3000/cb?x=1": "http://localhost:3000/cb?",
		} {
			try(to).OK()
			if link := h.LastMail(authAddress).Link(); !strings.HasPrefix(link, want) || !strings.Contains(link, "token=") {
				t.Errorf("redirect_uri %s leads to %s", to, link)
			}
		}
		for _, to := range []string{
			"https://evil.example/cb", "https://listed.example/cb/", "https://listed.example/CB", "https://listed.example/cb?x", "https://listed.example",
			"http://listed.example/cb", "https://x@listed.example/cb", "https://listed.example/cb#f", "https://listed.example:443/cb", "https://listed.example.evil.example/cb",
			"//listed.example/cb", "javascript:alert(1)", "https://listed.example/*", "https://listed.example\\@evil.example/cb", "http://localhost:3001/cb?x=1", " https://listed.example/cb",
		} {
			try(to).Fails(fault.Validation).Field("/redirect_uri")
		}
		authStart(h, P{"email": authAddress, "redirect_uri": "https://listed.example/cb"}).Fails(fault.Validation).Field("/redirect_uri")
		root.Do("APP.UPDATE", P{"app_id": app, "redirect_urls": []string{"https://app.example/other"}}).OK()
		try("https://app.example/cb").Fails(fault.Validation)
		try("https://app.example/other").OK()
		root.Do("APP.DELETE", P{"app_id": app}).OK()
		try("https://app.example/other").Fails(fault.Validation)
	})
}

// Accounts are not made this way, and a verified mailbox fulfills what asks for it.
func TestALoginByMailVerifiesTheAddress(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	made := root.Do("USER.CREATE", P{"email": authAddress}).String("user.id")
	root.Do("USER.SET_REQUIRED_ACTIONS", P{"user_id": made, "actions": []string{"verify_email", "change_password"}}).OK()
	r := byCode(h).OK()
	if strings.Join(r.Strings("required_actions"), " ") != string(user.ChangePassword) || !r.Has("challenge_token") || r.Has("access_token") {
		t.Errorf("login = %v", r.Data)
	}
	if !root.Do("USER.GET", P{"user_id": made}).Bool("user.email_verified") {
		t.Error("the address is not verified")
	}
	authStart(h, P{"email": "new@example.com"}).OK()
	if n := len(h.Mail("new@example.com")); n != 0 {
		t.Errorf("%d mails to nobody", n)
	}
}
