package signin_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/test/harness"
)

const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

func s256(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// allowed returns the token of a sign-in that a person allows a program.
func allowed(of *harness.Actor) *harness.Reply {
	return of.Do("AUTH.PASSWORDLESS_START", P{"email": authAddress, "method": "session", "code_challenge": s256(verifier)})
}

func redeem(h *harness.Service, token, verifier string) *harness.Reply {
	return enter(h, P{"token": token, "code_verifier": verifier})
}

// A program gets a session of its own, with the proof of the session that allowed it.
func TestTheCommandLineGetsASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		alice := authVerified(h, authAddress)
		pass := func(by time.Duration) {
			h.Clock.Advance(by)
			there.Clock.Advance(by)
		}
		pass(10 * time.Minute)
		begun := allowed(alice).OK()
		if begun.Int("expires_in") != 300 {
			t.Errorf("begun = %v", begun.Data)
		}
		pass(4 * time.Minute)
		got := harness.Together(6, func(i int) *harness.Reply {
			return redeem([]*harness.Service{h, there}[i%2], begun.String("challenge_id"), verifier)
		})
		if n := harness.Codes(got); n[""] != 1 || n[fault.Auth] != 5 {
			t.Fatalf("a token six times at once = %v", n)
		}
		before := alice.Do("AUTH.WHOAMI", nil).OK()
		for _, one := range got {
			if one.Failure != nil {
				continue
			}
			program := h.With(one.String("access_token"))
			who := program.Do("AUTH.WHOAMI", nil).OK()
			if who.String("subject") != alice.UserID || who.String("session_id") == alice.SessionID ||
				strings.Join(who.Strings("amr"), " ") != strings.Join(before.Strings("amr"), " ") || who.String("auth_time") != before.String("auth_time") {
				t.Errorf("signed in as %v, by %v", who.Data, before.Data)
			}
			program.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"users:read"}}).OK()
			alice.Do("AUTH.LOGOUT", nil).OK()
			pass(2 * time.Minute) // The proof of the browser ages.
			if f := program.Do("API_KEY.CREATE", P{"name": "k2", "scopes": []string{"users:read"}}).Fails(fault.Auth); !strings.Contains(f.Failure.Message, "AUTH.REAUTHENTICATE") {
				t.Errorf("after 16 minutes: %v", f.Failure)
			}
			program.Do("AUTH.WHOAMI", nil).OK()
		}
		if e := h.Events(loginevent.KindCodeRequested); len(e) != 1 || string(e[0].Data) != `{"method":"session"}` {
			t.Errorf("login.code_requested = %+v", e)
		}
	})
}

// A token is worth nothing with another verifier, twice, late, to another door, or after the
// session that allowed it.
func TestWhatTheCommandLineCannotUse(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := authVerified(h, authAddress)
		begin := func() string { return allowed(h.Login(authAddress, harness.Password)).OK().String("challenge_id") }

		token := begin()
		failed := len(h.Events(loginevent.KindFailed))
		redeem(h, token, strings.Repeat("x", 43)).Fails(fault.Auth)
		redeem(h, token, verifier).Fails(fault.Auth)
		if e := h.Events(loginevent.KindFailed); len(e) != failed+1 {
			t.Errorf("login.failed = %+v", e)
		}

		token = begin()
		enter(h, P{"token": token}).Fails(fault.Auth)
		enter(h, P{"challenge_id": token, "code": "123456"}).Fails(fault.Auth)
		enter(h, P{"challenge_id": token, "code": "123456", "code_verifier": verifier}).Fails(fault.Validation)
		redeem(h, token, verifier).OK()
		redeem(h, token, verifier).Fails(fault.Auth)

		token = begin()
		h.Clock.Advance(5*time.Minute + time.Second)
		redeem(h, token, verifier).Fails(fault.Auth)

		by := h.Login(authAddress, harness.Password)
		token = allowed(by).OK().String("challenge_id")
		by.Do("AUTH.LOGOUT", nil).OK()
		redeem(h, token, verifier).Fails(fault.Auth)

		token = begin()
		h.Superadmin().Do("USER.DISABLE", P{"user_id": alice.UserID}).OK()
		h.Superadmin().Do("USER.ENABLE", P{"user_id": alice.UserID}).OK()
		redeem(h, token, verifier).Fails(fault.Auth)

		mailed := func() string {
			authStart(h, P{"email": authAddress, "method": "link"}).OK()
			return mailedToken(h, authAddress)
		}()
		redeem(h, mailed, verifier).Fails(fault.Auth)
		enter(h, P{"token": mailed}).OK()

		// The session that changes the password stays; what it allowed before does not.
		by = h.Login(authAddress, harness.Password)
		token = allowed(by).OK().String("challenge_id")
		by.Do("USER.CHANGE_PASSWORD", P{"current_password": harness.Password, "new_password": changedPassword}).OK()
		by.Do("AUTH.WHOAMI", nil).OK()
		redeem(h, token, verifier).Fails(fault.Auth)
	})
}

const changedPassword = "another horse battery staple"

// A token of one person signs in that person, whoever presents it; with the verifier of
// somebody else it is refused.
func TestATokenOfAnotherPerson(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		authVerified(h, authAddress)
		mallory := h.SignUp("mallory@example.com")
		const hers = "mallory-mallory-mallory-mallory-mallory-mallory"
		token := mallory.Do("AUTH.PASSWORDLESS_START", P{"email": "mallory@example.com", "method": "session", "code_challenge": s256(hers)}).OK().String("challenge_id")
		redeem(h, token, verifier).Fails(fault.Auth)
		mallory.Do("AUTH.PASSWORDLESS_START", P{"email": authAddress, "method": "session", "code_challenge": s256(hers)}).Fails(fault.Validation)
	})
}

// Only a person's own session with a recent sign-in allows a program to sign in.
func TestWhoAllowsTheCommandLine(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := authVerified(h, authAddress)
	allowed(h.Anonymous()).Fails(fault.Auth)
	key := alice.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"*"}}).OK().String("key")
	allowed(h.With(key)).Fails(fault.Auth)
	for name, p := range map[string]P{
		"no challenge":      {"email": authAddress, "method": "session"},
		"a short challenge": {"email": authAddress, "method": "session", "code_challenge": "x"},
		"another method":    {"email": authAddress, "method": "code", "code_challenge": s256(verifier)},
		"an address":        {"email": authAddress, "method": "session", "code_challenge": s256(verifier), "redirect_uri": "https://evil.example/"},
	} {
		if r := alice.Do("AUTH.PASSWORDLESS_START", p); r.Failure == nil || r.Failure.Code != fault.Validation {
			t.Errorf("%s: %v", name, r.Failure)
		}
	}
	for range 8 { // No limit of the address, which strangers could use up.
		h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": authAddress, "method": "session", "code_challenge": s256(verifier)}).Fails(fault.Auth)
		allowed(alice).OK()
	}
	h.Clock.Advance(16 * time.Minute)
	pair := h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": alice.RefreshToken}).OK()
	if r := allowed(h.With(pair.String("access_token"))).Fails(fault.Auth); !strings.Contains(r.Failure.Message, "AUTH.REAUTHENTICATE") {
		t.Errorf("an old session: %v", r.Failure)
	}
}

// Codes by mail are limited by the address, whoever asks and by whichever session.
func TestMailedCodesAreLimitedByAddressForEverybody(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	authVerified(h, authAddress)
	stranger := func(n int) *harness.Actor { return h.SignUp(fmt.Sprintf("stranger%d@example.com", n)) }
	for n := range 5 {
		stranger(n).Do("AUTH.PASSWORDLESS_START", P{"email": authAddress}).OK()
	}
	stranger(5).Do("AUTH.PASSWORDLESS_START", P{"email": authAddress}).Fails(fault.RateLimited)
	authStart(h, P{"email": authAddress}).Fails(fault.RateLimited)
}
