package people_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/ticket"
	"gatehouse.internal/test/harness"
)

func makeTicket(who *harness.Actor, userID, purpose string) *harness.Reply {
	return who.Do("USER.TICKET_CREATE", P{"user_id": userID, "purpose": purpose})
}

func TestTickets(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice := h.Superadmin(), h.SignUp("alice@example.com")
		mails := len(h.Mail("alice@example.com"))
		pages := map[string]string{"password_reset": "/recover", "email_verify": "/verify", "login": "/login", "mfa_enroll": "/login"}
		tokens := map[string]string{}
		for purpose, page := range pages {
			r := makeTicket(root, alice.UserID, purpose).OK()
			tokens[purpose] = r.String("token")
			if r.String("url") != harness.Issuer+page+"?token="+r.String("token") || r.String("expires_at") != at(h.Clock.Now().Add(time.Hour)) {
				t.Errorf("%s = %v", purpose, r.Data)
			}
			if seen := h.Anonymous().Do("AUTH.TICKET_GET", P{"token": r.String("token")}); seen.String("purpose") != purpose {
				t.Errorf("seen = %v", seen.Data)
			}
		}
		if n := len(h.Mail("alice@example.com")); n != mails {
			t.Errorf("%d mails", n-mails)
		}
		enter := func(purpose string) *harness.Reply {
			return h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"token": tokens[purpose]})
		}
		in := enter("login").OK()
		enter("login").Fails(fault.Auth)
		// Who comes by a ticket has proved no mailbox, and claims nothing.
		if me := h.With(in.String("access_token")).Do("USER.ME", nil).OK(); me.Bool("email_verified") {
			t.Error("a ticket verified the address")
		}
		alice.Do("USER.ME", nil).OK()
		unfinished := enter("mfa_enroll").OK()
		userSame(t, unfinished.Strings("required_actions"), []string{"enroll_mfa"})
		h.With(unfinished.String("challenge_token")).Do("USER.LIST", nil).Fails(fault.Denied)
		h.Anonymous().Do("AUTH.VERIFY_EMAIL", P{"token": tokens["email_verify"]}).OK()
		h.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": tokens["password_reset"], "password": "a new horse and battery"}).OK()
		h.Login("alice@example.com", "a new horse and battery")
		events(t, h, alice.UserID, map[event.Kind]int{ticket.KindCreated: 4})
		for _, e := range h.Events(ticket.KindCreated) {
			for _, token := range tokens {
				if strings.Contains(string(e.Data), token) {
					t.Error("an event holds a token")
				}
			}
		}
	})
}

// A reset by a ticket does not prove the mailbox.
func TestATicketForAnUnverifiedAccount(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	token := makeTicket(root, alice.UserID, "password_reset").String("token")
	h.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": token, "password": "a new horse and battery"}).OK()
	if h.Login("alice@example.com", "a new horse and battery").Do("USER.ME", nil).Bool("email_verified") {
		t.Error("the address is verified")
	}
}

func TestTicketsEnd(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	enter := func(token string) *harness.Reply {
		return h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"token": token})
	}
	short := root.Do("USER.TICKET_CREATE", P{"user_id": alice.UserID, "purpose": "login", "ttl_minutes": 5}).String("token")
	h.Clock.Advance(5 * time.Minute)
	enter(short).Fails(fault.Auth)
	moved := makeTicket(root, alice.UserID, "login").String("token")
	root.Do("USER.SET_EMAIL", P{"user_id": alice.UserID, "email": "b@example.com"}).OK()
	enter(moved).Fails(fault.Auth)
	off := makeTicket(root, alice.UserID, "login").String("token")
	root.Do("USER.DISABLE", P{"user_id": alice.UserID}).OK()
	enter(off).Fails(fault.Auth)
	blank := makeTicket(root.DryRun(), alice.UserID, "login").OK()
	if blank.String("token") != "" || blank.String("url") != "" {
		t.Errorf("a dry run shows %v", blank.Data)
	}
	for _, wrong := range []P{
		{"user_id": alice.UserID, "purpose": "email_change"},
		{"user_id": alice.UserID, "purpose": "login", "ttl_minutes": 0},
		{"user_id": alice.UserID, "purpose": "login", "ttl_minutes": 10081},
		{"user_id": alice.UserID, "purpose": "login", "redirect_uri": "https://evil.example/cb"},
	} {
		root.Do("USER.TICKET_CREATE", wrong).Fails(fault.Validation)
	}
	makeTicket(root, userNobody, "login").Fails(fault.NotFound)
}

// Nobody becomes a superadmin by what users:manage may do, not even by a
// superadmin's own key.
func TestSuperadminsAreShielded(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	key := h.With(root.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"users:manage"}}).String("key"))
	alice := h.SignUp("alice@example.com")
	for command, params := range map[string]P{
		"USER.TICKET_CREATE": {"purpose": "login"},
		"USER.SET_EMAIL":     {"email": "thief@example.com"},
		"USER.SET_PASSWORD":  {"password": "a new horse and battery"},
		"USER.UNLOCK":        {},
	} {
		params["user_id"] = root.UserID
		if r := key.Do(command, params).Fails(fault.Denied); r.Failure.Message == "" {
			t.Errorf("%s refused without a word", command)
		}
		params["user_id"] = alice.UserID
		key.Do(command, params).OK()
	}
}

// No link that was made for somebody lets anybody in, once they are a superadmin.
func TestATicketFromBeforeAPromotion(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice := h.Superadmin(), h.SignUp("alice@example.com")
		key := root.Do("API_KEY.CREATE", P{"name": "support", "scopes": []string{"users:manage"}}).OK().String("key")
		made := map[string]string{}
		for _, purpose := range []string{"password_reset", "email_verify", "login", "mfa_enroll"} {
			made[purpose] = makeTicket(h.With(key), alice.UserID, purpose).OK().String("token")
		}
		trusted := makeTicket(root, alice.UserID, "login").OK().String("token")
		root.Do("USER.SET_SUPERADMIN", P{"user_id": alice.UserID, "is_superadmin": true}).OK()
		for purpose, token := range made {
			if h.Anonymous().Do("AUTH.TICKET_GET", P{"token": token}).OK().Bool("valid") {
				t.Errorf("%s is still valid", purpose)
			}
		}
		use := func(command string, params P) *harness.Reply { return h.Anonymous().Do(command, params) }
		use("AUTH.RESET_PASSWORD", P{"token": made["password_reset"], "password": strongPW}).Fails(fault.Auth)
		use("AUTH.VERIFY_EMAIL", P{"token": made["email_verify"]}).Fails(fault.Auth)
		use("AUTH.PASSWORDLESS_VERIFY", P{"token": made["login"]}).Fails(fault.Auth)
		use("AUTH.PASSWORDLESS_VERIFY", P{"token": made["mfa_enroll"]}).Fails(fault.Auth)
		use("AUTH.PASSWORDLESS_VERIFY", P{"token": trusted}).Fails(fault.Auth)
		afterwards := makeTicket(root, alice.UserID, "login").OK().String("token")
		use("AUTH.PASSWORDLESS_VERIFY", P{"token": afterwards}).OK()
	})
}

// Neither does a bypass code, nor a login that waited for a factor.
func TestWhatAPromotionEnds(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, alice := h.Superadmin(), h.SignUp("alice@example.com")
		app := alice.EnrollApp()
		code := root.Do("MFA.BYPASS_CREATE", P{"user_id": alice.UserID}).OK().String("code")
		waiting := h.Challenge("alice@example.com")
		promote := P{"user_id": alice.UserID, "is_superadmin": true}
		root.Do("USER.SET_SUPERADMIN", promote).OK()
		answer := func(token, code string) *harness.Reply {
			return h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "code": code})
		}
		answer(waiting, app.Code()).Fails(fault.Auth)
		answer(h.Challenge("alice@example.com"), code).Fails(fault.Auth)

		afterwards := root.Do("MFA.BYPASS_CREATE", P{"user_id": alice.UserID}).OK().String("code")
		root.Do("USER.SET_SUPERADMIN", promote).OK() // nothing changes, nothing ends
		answer(h.Challenge("alice@example.com"), afterwards).OK()
		h.LoginBy("alice@example.com", app)
	})
}
