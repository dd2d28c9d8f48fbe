package signin_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// How far the address of an account is proved.
const (
	unproved       = "unproved"
	socialVerified = "verified"
	bound          = "bound"
)

const newer = "a new horse and battery"

// proof reads how far the address of an account is proved.
func (w *world) proof(of string) string {
	w.t.Helper()
	var found string
	err := w.Store.Database().Read.GetContext(w.t.Context(), &found, `SELECT CASE
		WHEN email_verified AND email_bound THEN 'bound' WHEN email_verified THEN 'verified' ELSE 'unproved' END FROM users WHERE id = $1`, of)
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// token is that of the newest mail with a link to an address.
func (w *world) token(email string) string {
	w.t.Helper()
	var token string
	for _, letter := range w.Mail(email) {
		if strings.Contains(letter.Text, "token=") {
			token = letter.Token()
		}
	}
	return token
}

// setUp is an account with everything that lets somebody in or acts for them, made by
// somebody who may not own its address.
type setUp struct {
	*harness.Actor

	w      *world
	email  string
	other  string // another account at a provider that is linked
	app    P
	robot  *harness.Actor
	key    *harness.Actor
	device *harness.Authenticator
	totp   *harness.App
}

// proved signs somebody up whose address is proved so far.
func (w *world) proved(email, proof string) *harness.Actor {
	w.t.Helper()
	who := w.SignUp(email)
	switch link := (P{"token": w.token(email)}); proof {
	case socialVerified:
		w.Anonymous().Do("AUTH.VERIFY_EMAIL", link).OK()
	case bound:
		who.Do("AUTH.VERIFY_EMAIL", link).OK()
	}
	return who
}

// byMail signs somebody in by a mailed code.
func (w *world) byMail(email string) *harness.Actor {
	w.t.Helper()
	begun := w.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": email}).OK()
	answer := P{"challenge_id": begun.String("challenge_id"), "code": w.MailedCode(email)}
	return w.With(w.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", answer).OK().String("access_token"))
}

func (w *world) setUp(number int, proof string) *setUp {
	w.t.Helper()
	s := &setUp{w: w, email: fmt.Sprintf("owner%d@example.com", number), other: fmt.Sprintf("66%d", number)}
	s.Actor = w.proved(s.email, proof)
	w.up["discord"].Be(upstream.Person{ID: s.other, Email: s.other + "@example.org", Verified: true, Name: "Eve"})
	w.link(s.Actor, "discord").OK()
	slug := "robot" + fmt.Sprint(number)
	made := s.Do("APP.REGISTER", P{"name": slug, "slug": slug}).OK()
	s.app = P{"client_id": slug, "client_secret": made.String("api_key")}
	s.robot = w.With(w.Anonymous().Do("M2M.TOKEN", s.app).OK().String("access_token"))
	s.key = w.With(s.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"*"}}).OK().String("key"))
	s.device = s.Passkey()
	s.totp = s.EnrollApp()
	return s
}

// opens reports whether each way in that was set up still works.
func (s *setUp) opens() map[string]bool {
	w := s.w
	w.up["discord"].Be(upstream.Person{ID: s.other, Email: s.other + "@example.org", Verified: true, Name: "Eve"})
	mine := func(r *harness.Reply) bool {
		return r.Failure == nil && r.Has("access_token") && w.With(r.String("access_token")).Do("AUTH.WHOAMI", nil).String("subject") == s.UserID
	}
	asked := func(r *harness.Reply) bool { return r.Failure == nil && r.Has("mfa_required") }
	provider := w.login("discord")
	return map[string]bool{
		"session":  s.Do("AUTH.WHOAMI", nil).Failure == nil,
		"password": asked(w.Anonymous().Do("AUTH.LOGIN", P{"email": s.email, "password": harness.Password})),
		"passkey":  mine(w.LoginByPasskey(s.device)),
		"provider": asked(provider) || mine(provider),
		"key":      s.key.Do("AUTH.WHOAMI", nil).Failure == nil,
		"token":    s.robot.Do("AUTH.WHOAMI", nil).Failure == nil,
		"app":      w.Anonymous().Do("M2M.TOKEN", s.app).Failure == nil,
	}
}

// Every way into an account meets an address that is proved by nobody, by a link alone,
// and by who made the account. The first two are whoever's who made the account: the
// owner of the address claims it by a reset, and where nobody verified it by any mail.
func TestEveryWayIn(t *testing.T) {
	t.Parallel()
	type result struct {
		proof string
		// ended is what works no more: all, what a new password ends, or nothing.
		ended string
	}
	const all, byPassword, nothing = "all", "what a password ends", "nothing"
	mailed := func(s *setUp, method string) {
		begun := s.w.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": s.email, "method": method}).OK()
		answer := P{"token": s.w.token(s.email)}
		if method == "code" {
			answer = P{"challenge_id": begun.String("challenge_id"), "code": s.w.MailedCode(s.email)}
		}
		s.w.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", answer).OK()
	}
	ways := []struct {
		name string
		come func(s *setUp)
		// want is by how far the address was proved.
		want map[string]result
	}{
		{
			"password", func(s *setUp) { s.w.LoginBy(s.email, s.totp) },
			map[string]result{unproved: {unproved, nothing}, socialVerified: {socialVerified, nothing}, bound: {bound, nothing}},
		},
		{
			"passkey", func(s *setUp) { s.w.LoginByPasskey(s.device).OK() },
			map[string]result{unproved: {unproved, nothing}, socialVerified: {socialVerified, nothing}, bound: {bound, nothing}},
		},
		{
			"code", func(s *setUp) { mailed(s, "code") },
			map[string]result{unproved: {bound, all}, socialVerified: {socialVerified, nothing}, bound: {bound, nothing}},
		},
		{
			"link", func(s *setUp) { mailed(s, "link") },
			map[string]result{unproved: {bound, all}, socialVerified: {socialVerified, nothing}, bound: {bound, nothing}},
		},
		{"reset", func(s *setUp) {
			s.w.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": s.email}).OK()
			s.w.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": s.w.token(s.email), "password": newer}).OK()
		}, map[string]result{unproved: {bound, all}, socialVerified: {bound, all}, bound: {bound, byPassword}}},
		{"provider", func(s *setUp) {
			s.w.up["google"].Be(upstream.Person{ID: "g" + s.other, Email: s.email, Verified: true, Name: "Ada"})
			in := s.w.login("google")
			if joined := in.Failure == nil; joined != (s.w.proof(s.UserID) == bound) {
				s.w.t.Errorf("a provider's login joins an address that is %s: %v", s.w.proof(s.UserID), joined)
			}
		}, map[string]result{unproved: {unproved, nothing}, socialVerified: {socialVerified, nothing}, bound: {bound, nothing}}},
	}
	socialOnEachStore(t, func(t *testing.T, here, _ *world) {
		number := 0
		for _, way := range ways {
			for before, want := range way.want {
				number++
				s := here.setUp(number, before)
				way.come(s)
				if got := here.proof(s.UserID); got != want.proof {
					t.Errorf("%s: an address that was %s is %s", way.name, before, got)
				}
				for what, works := range s.opens() {
					ends := want.ended == all || (want.ended == byPassword && (what == "session" || what == "password" || what == "key"))
					if works == ends {
						t.Errorf("%s: of an address that was %s, %s works: %v", way.name, before, what, works)
					}
				}
			}
		}
	})
}

// What binds an address to the account: a session of it that was not begun by mail
// alone, or its password, beside the link. An address that is changed to begins anew.
func TestBinding(t *testing.T) {
	t.Parallel()
	params := func(token string, more P) P {
		sent := P{"token": token}
		for name, value := range more {
			sent[name] = value
		}
		return sent
	}
	ways := map[string]struct {
		come func(w *world, who *harness.Actor, email, token string) *harness.Reply
		want string
	}{
		"nothing": {func(w *world, _ *harness.Actor, _, token string) *harness.Reply {
			return w.Anonymous().Do("AUTH.VERIFY_EMAIL", params(token, nil))
		}, socialVerified},
		"session": {func(_ *world, who *harness.Actor, _, token string) *harness.Reply {
			return who.Do("AUTH.VERIFY_EMAIL", params(token, nil))
		}, bound},
		"session of a passkey": {func(w *world, who *harness.Actor, _, token string) *harness.Reply {
			in := w.LoginByPasskey(who.Passkey()).OK()
			return w.With(in.String("access_token")).Do("AUTH.VERIFY_EMAIL", params(token, nil))
		}, bound},
		"password": {func(w *world, _ *harness.Actor, _, token string) *harness.Reply {
			return w.Anonymous().Do("AUTH.VERIFY_EMAIL", params(token, P{"password": harness.Password}))
		}, bound},
		"wrong password, then none": {func(w *world, _ *harness.Actor, _, token string) *harness.Reply {
			w.Anonymous().Do("AUTH.VERIFY_EMAIL", params(token, P{"password": "wrong"})).Fails(fault.Auth)
			return w.Anonymous().Do("AUTH.VERIFY_EMAIL", params(token, nil))
		}, socialVerified},
		"session of somebody else": {func(w *world, _ *harness.Actor, _, token string) *harness.Reply {
			return w.Superadmin().Do("AUTH.VERIFY_EMAIL", params(token, nil))
		}, socialVerified},
		"key": {func(w *world, who *harness.Actor, _, token string) *harness.Reply {
			key := who.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"*"}}).OK().String("key")
			return w.With(key).Do("AUTH.VERIFY_EMAIL", params(token, nil))
		}, socialVerified},
		"session by mail alone": {func(w *world, _ *harness.Actor, email, token string) *harness.Reply {
			w.Anonymous().Do("AUTH.RESEND_VERIFICATION", P{"email": email}).OK()
			again := w.token(email)
			w.Anonymous().Do("AUTH.VERIFY_EMAIL", params(token, nil)).OK()
			return w.byMail(email).Do("AUTH.VERIFY_EMAIL", params(again, nil))
		}, socialVerified},
		"session, after nothing": {func(w *world, who *harness.Actor, email, token string) *harness.Reply {
			w.Anonymous().Do("AUTH.VERIFY_EMAIL", params(token, nil)).OK()
			w.Anonymous().Do("AUTH.RESEND_VERIFICATION", P{"email": email}).OK()
			return who.Do("AUTH.VERIFY_EMAIL", params(w.token(email), nil))
		}, bound},
	}
	socialOnEachStore(t, func(t *testing.T, here, _ *world) {
		number := 0
		for name, c := range ways {
			number++
			email := fmt.Sprintf("owner%d@example.com", number)
			who := here.SignUp(email)
			r := c.come(here, who, email, here.token(email)).OK()
			if got := here.proof(who.UserID); got != c.want || r.Bool("bound") != (c.want == bound) || r.String("email") != email {
				t.Errorf("with %s the address is %s, answered %v", name, got, r.Data)
			}
		}
		for _, name := range []string{"nothing", "session", "password", "wrong password, then none", "session of somebody else"} {
			number++
			email, next := fmt.Sprintf("owner%d@example.com", number), fmt.Sprintf("next%d@example.com", number)
			who := here.SignUp(email)
			who.Do("AUTH.VERIFY_EMAIL", P{"token": here.token(email)}).OK()
			who.Do("USER.CHANGE_EMAIL", P{"new_email": next, "password": harness.Password}).OK()
			r := ways[name].come(here, who, next, here.token(next)).OK()
			if got := here.proof(who.UserID); got != ways[name].want || r.String("email") != next {
				t.Errorf("with %s another address is %s, answered %v", name, got, r.Data)
			}
		}
	})
}

// A provider that vouches for an account's address proves it in a session that proves
// the account. Where nobody had verified the address, or mail alone opened the session,
// what was set up ends but for that session.
func TestLinkingBinds(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, _ *world) {
		number := 0
		for _, before := range []string{unproved, socialVerified, bound} {
			for _, mail := range []bool{false, true} {
				if mail && before == unproved {
					continue // Who comes by mail has proved it.
				}
				number++
				email := fmt.Sprintf("owner%d@example.com", number)
				who := here.proved(email, before)
				key := here.With(who.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"*"}}).OK().String("key"))
				session := who
				if mail {
					session = here.byMail(email)
				}
				here.up["google"].Be(upstream.Person{ID: "g" + email, Email: email, Verified: true, Name: "Ada"})
				here.link(session, "google").OK()
				if got := here.proof(who.UserID); got != bound {
					t.Errorf("the address that was %s is %s", before, got)
				}
				claims := before == unproved || (before == socialVerified && mail)
				if works := key.Do("AUTH.WHOAMI", nil).Failure == nil; works == claims {
					t.Errorf("%s, by mail %v: the key works: %v", before, mail, works)
				}
				session.Do("AUTH.WHOAMI", nil).OK()
			}
		}
	})
}

// A reset says what it ended, and what else lets into the account or proves a key of
// its person: each with the command that ends it.
func TestResetListsRemainingCredentials(t *testing.T) {
	t.Parallel()
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		for number, before := range []string{bound, socialVerified} {
			s := here.setUp(number, before)
			key := here.Holder()
			s.Do("DPOP.REGISTER", P{"public_jwk": key.JWK(), "name": "laptop"}).OK()
			here.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": s.email}).OK()
			r := there.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": here.token(s.email), "password": newer}).OK()
			if r.Int("keys_revoked") != 1 || r.Int("sessions_revoked") != 1 {
				t.Errorf("%s: answered %v", before, r.Data)
			}
			left := map[string]string{}
			for _, one := range r.List("remaining") {
				left[fmt.Sprint(one["kind"])] = fmt.Sprint(one["name"], " ", one["end_by"])
				if id := fmt.Sprint(one["id"]); len(id) < 20 {
					t.Errorf("%v has no identifier", one)
				}
			}
			want := map[string]string{
				"passkey": "Passkey WEBAUTHN.REVOKE", "identity": "discord AUTH.SOCIAL_UNLINK", "dpop_key": "laptop DPOP.REVOKE", "app": fmt.Sprintf("robot%d APP.DELETE", number),
			}
			if before == socialVerified {
				want = map[string]string{}
			}
			if !maps.Equal(left, want) {
				t.Errorf("%s: %v stays, want %v", before, left, want)
			}
			for _, command := range []string{"WEBAUTHN.REVOKE", "AUTH.SOCIAL_UNLINK", "DPOP.REVOKE", "APP.DELETE"} {
				if _, known := here.Engine.Registry.Find(command); !known {
					t.Errorf("there is no %s", command)
				}
			}
		}
	})
}
