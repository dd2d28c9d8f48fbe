package signin_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// signInDoors are the ways of signing in. Each begins a sign-in of the person of these tests, and
// returns how to end it.
func signInDoors(w *world, root, alice *harness.Actor, device *harness.Authenticator) map[string]func() func() *harness.Reply {
	redeemed := func(token string) func() *harness.Reply {
		return func() *harness.Reply { return enter(w.Service, P{"token": token}) }
	}
	return map[string]func() func() *harness.Reply{
		"password": func() func() *harness.Reply {
			return func() *harness.Reply { return login(w.Service, authAddress, harness.Password) }
		},
		"code": func() func() *harness.Reply {
			begun, code := authStart(w.Service, P{"email": authAddress}).OK(), w.MailedCode(authAddress)
			return func() *harness.Reply {
				return enter(w.Service, P{"challenge_id": begun.String("challenge_id"), "code": code})
			}
		},
		"link": func() func() *harness.Reply {
			authStart(w.Service, P{"email": authAddress, "method": "link"}).OK()
			return redeemed(mailedToken(w.Service, authAddress))
		},
		"ticket": func() func() *harness.Reply {
			return redeemed(root.Do("USER.TICKET_CREATE", P{"user_id": alice.UserID, "purpose": "login"}).OK().String("token"))
		},
		"session": func() func() *harness.Reply {
			token := allowed(alice).OK().String("challenge_id")
			return func() *harness.Reply { return redeem(w.Service, token, verifier) }
		},
		"passkey": func() func() *harness.Reply {
			options := w.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", nil).OK().Data["options"].(P)
			return func() *harness.Reply {
				return w.Anonymous().Do("WEBAUTHN.LOGIN_VERIFY", P{"credential": device.Sign(options)})
			}
		},
		"social": func() func() *harness.Reply {
			code := w.code("google")
			return func() *harness.Reply { return w.finish("google", code) }
		},
	}
}

// Whichever door somebody comes by, the same stages let them in or keep them out, and record it.
func TestEveryDoorRunsTheStages(t *testing.T) {
	t.Parallel()
	w := socialStart(t)
	w.up["google"].Be(upstream.Person{ID: "4711", Email: authAddress, Verified: true, Name: "Alice"})
	alice := authVerified(w.Service, authAddress)
	w.verify(alice)
	root, device := w.Superadmin(), alice.Passkey()
	for name, begin := range signInDoors(w, root, alice, device) {
		end, failed := begin(), w.count(loginevent.KindFailed)
		root.Do("SYSTEM.SET_MAINTENANCE", P{"mode": "closed"}).OK()
		end().Fails(fault.RateLimited)
		root.Do("SYSTEM.SET_MAINTENANCE", P{"mode": "off"}).OK()
		all := w.Events(loginevent.KindFailed)
		if len(all) != failed+1 || !strings.Contains(string(all[0].Data), loginevent.NotAdmitted) {
			t.Errorf("%s: a refusal is recorded as %d events, the last one %s", name, len(all)-failed, all[0].Data)
		}
		succeeded := w.count(loginevent.KindSucceeded)
		if in := begin()().OK(); !in.Has("access_token") || w.count(loginevent.KindSucceeded) != succeeded+1 {
			t.Errorf("%s: answers %v, and %d successes are recorded", name, in.Data, w.count(loginevent.KindSucceeded)-succeeded)
		}
	}
}
