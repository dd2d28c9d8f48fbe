package signin_test

import (
	"maps"
	"slices"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// Where domains decide who is let in, every way into an account whose address nobody
// has proved leads to its verification and nowhere else; a way that proves the address
// leads in.
func TestAllowedDomains(t *testing.T) {
	t.Parallel()
	const held, in = "held up", "let in"
	signUp := func(w *world, email string) *harness.Reply {
		return w.Anonymous().Do("AUTH.SIGNUP", P{"email": email, "password": harness.Password, "display_name": "Somebody"}).OK()
	}
	login := func(w *world, email string) *harness.Reply {
		return w.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": harness.Password}).OK()
	}
	mailed := func(w *world, email, method string) *harness.Reply {
		begun := w.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": email, "method": method}).OK()
		answer := P{"token": w.token(email)}
		if method == "code" {
			answer = P{"challenge_id": begun.String("challenge_id"), "code": w.MailedCode(email)}
		}
		return w.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", answer).OK()
	}
	// before makes an account of an address before domains decide.
	ways := map[string]struct {
		before func(w *world, email string) any
		come   func(w *world, email string, made any) *harness.Reply
		want   string
	}{
		"sign-up": {nil, func(w *world, email string, _ any) *harness.Reply { return signUp(w, email) }, held},
		"sign-up by passkey": {nil, func(w *world, email string, _ any) *harness.Reply {
			begun := w.Anonymous().Do("WEBAUTHN.SIGNUP_OPTIONS", P{"email": email, "display_name": "Somebody"}).OK()
			return w.Anonymous().Do("WEBAUTHN.SIGNUP_VERIFY", P{
				"challenge_id": begun.String("challenge_id"), "credential": w.Authenticator().Create(begun.Data["options"].(P)),
			}).OK()
		}, held},
		"first login at a provider": {nil, func(w *world, email string, _ any) *harness.Reply {
			w.up["google"].Be(upstream.Person{ID: "g-" + email, Email: email, Verified: true, Name: "Ada"})
			return w.login("google").OK()
		}, in},
		"password": {
			func(w *world, email string) any { return w.SignUp(email) },
			func(w *world, email string, _ any) *harness.Reply { return login(w, email) }, held,
		},
		"second factor": {
			func(w *world, email string) any { return w.SignUp(email).EnrollApp() },
			func(w *world, email string, made any) *harness.Reply {
				challenge := login(w, email).String("challenge_token")
				return w.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": challenge, "code": made.(*harness.App).Code()}).OK()
			}, held,
		},
		"passkey": {
			func(w *world, email string) any { return w.SignUp(email).Passkey() },
			func(w *world, _ string, made any) *harness.Reply {
				return w.LoginByPasskey(made.(*harness.Authenticator)).OK()
			}, held,
		},
		"linked provider": {
			func(w *world, email string) any {
				w.up["github"].Be(upstream.Person{ID: "77", Email: "other@example.org", Verified: true, Name: "Ada"})
				return w.link(w.SignUp(email), "github").OK()
			},
			func(w *world, _ string, _ any) *harness.Reply { return w.login("github").OK() }, held,
		},
		"ticket": {
			func(w *world, email string) any {
				return w.Superadmin().Do("USER.TICKET_CREATE", P{"user_id": w.SignUp(email).UserID, "purpose": "login"}).OK().String("token")
			},
			func(w *world, _ string, made any) *harness.Reply {
				return w.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"token": made}).OK()
			}, held,
		},
		"password that an administrator gave": {
			func(w *world, email string) any {
				return w.Superadmin().Do("USER.CREATE", P{"email": email, "password": harness.Password}).OK()
			},
			func(w *world, email string, _ any) *harness.Reply { return login(w, email) }, held,
		},
		"mailed code": {
			func(w *world, email string) any { return w.SignUp(email) },
			func(w *world, email string, _ any) *harness.Reply { return mailed(w, email, "code") }, in,
		},
		"mailed link": {
			func(w *world, email string) any { return w.SignUp(email) },
			func(w *world, email string, _ any) *harness.Reply { return mailed(w, email, "link") }, in,
		},
		"reset": {
			func(w *world, email string) any { return w.SignUp(email) },
			func(w *world, email string, _ any) *harness.Reply {
				w.Anonymous().Do("AUTH.FORGOT_PASSWORD", P{"email": email}).OK()
				w.Anonymous().Do("AUTH.RESET_PASSWORD", P{"token": w.token(email), "password": newer}).OK()
				return w.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": newer}).OK()
			}, in,
		},
	}
	socialOnEachStore(t, func(t *testing.T, here, there *world) {
		made, names := map[string]any{}, slices.Sorted(maps.Keys(ways))
		address := func(name string) string { return "p" + string(rune('a'+slices.Index(names, name))) + "@example.com" }
		for name, way := range ways {
			if way.before != nil {
				made[name] = way.before(here, address(name))
			}
		}
		there.Superadmin().Do("POLICY.SET", P{"kind": "signup", "values": P{"allowed_domains": []string{"example.com"}}}).OK()
		for name, way := range ways {
			r := way.come(here, address(name), made[name])
			if way.want == in {
				here.With(r.String("access_token")).Do("SESSION.LIST", nil).OK()
				continue
			}
			if r.Has("access_token") || r.Has("refresh_token") || !slices.Equal(r.Strings("required_actions"), []string{"verify_email"}) {
				t.Errorf("%s answered %v", name, r.Data)
				continue
			}
			waiting := here.With(r.String("challenge_token"))
			for _, command := range []string{"SESSION.LIST", "AUTH.MFA_SETUP_TOTP", "WEBAUTHN.REGISTER_OPTIONS", "API_KEY.LIST"} {
				waiting.Do(command, nil).Fails(fault.Denied)
			}
			here.Anonymous().Do("AUTH.RESEND_VERIFICATION", P{"email": address(name)}).OK()
			if !waiting.Do("AUTH.VERIFY_EMAIL", P{"token": here.token(address(name))}).OK().Bool("verified") {
				t.Errorf("%s leads to no verification", name)
			}
		}
	})
}
