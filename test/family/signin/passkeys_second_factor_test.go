package signin_test

import (
	"slices"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

// demanding makes the instance ask everybody for a second factor.
func demanding(h *harness.Service) *harness.Actor {
	root := h.Superadmin()
	root.Do("POLICY.SET", P{"kind": "mfa", "values": P{"required": true}}).OK()
	return root
}

// waiting logs in by password, as far as the second factor.
func waiting(h *harness.Service, email string) *harness.Reply {
	return h.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": harness.Password}).OK()
}

// verifies ends a login by either of the commands that do.
func verifies(h *harness.Service, token string) map[string]func(credential P) *harness.Reply {
	return map[string]func(P) *harness.Reply{
		"WEBAUTHN.LOGIN_VERIFY": func(c P) *harness.Reply { return answer(h, c) },
		"AUTH.MFA_VERIFY": func(c P) *harness.Reply {
			return h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "method": "passkey", "credential": c})
		},
	}
}

func TestPasskeyAsSecondFactor(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice := here.SignUp(passkeyAddress)
		device := alice.Passkey()
		demanding(here)
		// As a second factor it need not verify its person.
		device.Device.Options.UserNotVerified = true
		for _, name := range []string{"WEBAUTHN.LOGIN_VERIFY", "AUTH.MFA_VERIFY"} {
			login := waiting(there, passkeyAddress)
			token := login.String("challenge_token")
			if !login.Bool("mfa_required") || !slices.Equal(login.Strings("methods"), []string{"passkey"}) {
				t.Errorf("login = %v", login.Data)
			}
			begun := asked(here, P{"challenge_token": token})
			offered := begun["allowCredentials"].([]any)
			if len(offered) != 1 || offered[0].(P)["id"] != encoded(device) || begun["userVerification"] != "preferred" {
				t.Errorf("options = %v", begun)
			}
			credential := device.Sign(begun)
			pair := verifies(there, token)[name](credential).OK()
			if got := amr(here, pair); !slices.Equal(got, []string{"pwd", "hwk", "user", "mfa"}) {
				t.Errorf("%s: amr = %v", name, got)
			}
			for _, again := range verifies(here, token) {
				gone(t, again(credential))
			}
			gone(t, here.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", P{"challenge_token": token}))
		}
		want := `{"user_id":"` + alice.UserID + `","method":"passkey"}`
		if got := data(here, mfa.KindSucceeded); !slices.Equal(got, []string{want, want}) {
			t.Errorf("events = %v", got)
		}
	})
}

// What answers a challenge is a passkey of its person, for that very challenge.
func TestWrongSecondFactors(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice, bob := here.SignUp(passkeyAddress), here.SignUp("bob@example.com")
		device, foreign := alice.Passkey(), bob.Passkey()
		demanding(here)
		token, other := waiting(here, passkeyAddress).String("challenge_token"), waiting(here, passkeyAddress).String("challenge_token")
		bobs := waiting(here, "bob@example.com").String("challenge_token")
		begun := len(here.Events(session.KindCreated))
		for name, credential := range map[string]func() P{
			"another's passkey":          func() P { return foreign.Sign(asked(here, P{"challenge_token": token})) },
			"a login without a password": func() P { return device.Sign(asked(here, nil)) },
			"that of another login":      func() P { return device.Sign(asked(here, P{"challenge_token": other})) },
			"that of another's login":    func() P { return foreign.Sign(asked(here, P{"challenge_token": bobs})) },
			"another's passkey, no handle": func() P {
				c := foreign.Sign(asked(here, P{"challenge_token": token}))
				response("userHandle", func(string) any { return nil })(c)
				return c
			},
			"nobody present": func() P {
				return device.Forge(device.Sign(asked(here, P{"challenge_token": token})), nil, flip(flagsAt, present))
			},
		} {
			if r := verifies(there, token)["AUTH.MFA_VERIFY"](credential()); r.Failure == nil || r.Failure.Code != fault.Auth {
				t.Errorf("%s: %v", name, r.Failure)
			}
		}
		if got := len(here.Events(session.KindCreated)); got != begun {
			t.Errorf("%d sessions began", got-begun)
		}
		// A passkey that has no handle to tell is found by its own name.
		c := device.Sign(asked(here, P{"challenge_token": token}))
		response("userHandle", func(string) any { return nil })(c)
		answer(there, c).OK()
	})
}

// Five wrong answers end the login that waits, by whichever command they come.
func TestWrongPasskeysEndTheLogin(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(passkeyAddress)
	device := alice.Passkey()
	demanding(h)
	token := waiting(h, passkeyAddress).String("challenge_token")
	for i := range 5 {
		begun := asked(h, P{"challenge_token": token})
		name := []string{"WEBAUTHN.LOGIN_VERIFY", "AUTH.MFA_VERIFY"}[i%2]
		verifies(h, token)[name](device.Forge(device.Sign(begun), nil, flip(flagsAt, present))).Fails(fault.Auth)
	}
	gone(t, h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", P{"challenge_token": token}))
	if got := len(h.Events(mfa.KindFailed)); got != 5 {
		t.Errorf("%d events, want 5", got)
	}
}

// A login that waits ends with what it was begun by.
func TestLoginThatWaitsEnds(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		people := map[string]*harness.Actor{}
		devices := map[string]*harness.Authenticator{}
		for _, name := range []string{"password", "disabled", "deleted", "revoked"} {
			people[name] = here.SignUp(name + "@example.com")
			devices[name] = people[name].Passkey()
			people[name].Passkey() // another, so that one may be revoked
		}
		root := demanding(here)
		ends := map[string]func(who *harness.Actor){
			"password": func(who *harness.Actor) {
				root.Do("USER.SET_PASSWORD", P{"user_id": who.UserID, "password": "another battery"}).OK()
			},
			"disabled": func(who *harness.Actor) { root.Do("USER.DISABLE", P{"user_id": who.UserID}).OK() },
			"deleted":  func(who *harness.Actor) { root.Do("USER.DELETE", P{"user_id": who.UserID}).OK() },
			"revoked": func(who *harness.Actor) {
				first := who.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items")[1]["id"]
				who.Do("WEBAUTHN.REVOKE", P{"credential_id": first}).OK()
			},
		}
		for name, end := range ends {
			token := waiting(here, name+"@example.com").String("challenge_token")
			credential := devices[name].Sign(asked(here, P{"challenge_token": token}))
			end(people[name])
			if r := verifies(there, token)["AUTH.MFA_VERIFY"](credential); r.Failure == nil || r.Failure.Code != fault.Auth {
				t.Errorf("%s: %v", name, r.Failure)
			}
		}
	})
}

// Of two right answers at once, one ends the login.
func TestSecondFactorInParallel(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		device := here.SignUp(passkeyAddress).Passkey()
		demanding(here)
		token := waiting(here, passkeyAddress).String("challenge_token")
		begun := make([]P, 8)
		for i := range begun {
			begun[i] = device.Sign(asked(here, P{"challenge_token": token}))
		}
		got := harness.Codes(harness.Together(len(begun), func(i int) *harness.Reply {
			h := []*harness.Service{here, there}[i%2]
			return verifies(h, token)[[]string{"WEBAUTHN.LOGIN_VERIFY", "AUTH.MFA_VERIFY"}[i/2%2]](begun[i])
		}))
		if got[""] != 1 || got[fault.Auth] != len(begun)-1 {
			t.Errorf("%d answers = %v", len(begun), got)
		}
	})
}

// A login that waits for another factor cannot be answered by a passkey that there is
// not.
func TestSecondFactorWithoutPasskey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp(passkeyAddress).EnrollApp()
	token := waiting(h, passkeyAddress).String("challenge_token")
	h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", P{"challenge_token": token}).Fails(fault.Validation).Field("/challenge_token")
}

// A passkey is what a policy asks for: enrolled in the session that is for that
// alone, it lets the person in from then on.
func TestPasskeyFulfilsThePolicy(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	h.SignUp(passkeyAddress)
	root.Do("POLICY.SET", P{"kind": "mfa", "values": P{"required": true}}).OK()
	login := waiting(h, passkeyAddress)
	if !slices.Equal(login.Strings("required_actions"), []string{"enroll_mfa"}) {
		t.Fatalf("login = %v", login.Data)
	}
	unfinished := h.With(login.String("challenge_token"))
	unfinished.Do("WEBAUTHN.LIST_CREDENTIALS", nil).Fails(fault.Denied)
	device := unfinished.Passkey()
	token := waiting(h, passkeyAddress).String("challenge_token")
	answer(h, device.Sign(asked(h, P{"challenge_token": token}))).OK()
	h.LoginByPasskey(device).OK()
}

// What an administrator requires is fulfilled once.
func TestPasskeyFulfilsTheAction(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp(passkeyAddress)
	root.Do("USER.SET_REQUIRED_ACTIONS", P{"user_id": alice.UserID, "actions": []string{"enroll_mfa"}}).OK()
	login := waiting(h, passkeyAddress)
	if !slices.Equal(login.Strings("required_actions"), []string{"enroll_mfa"}) {
		t.Fatalf("login = %v", login.Data)
	}
	device := h.With(login.String("challenge_token")).Passkey()
	if again := waiting(h, passkeyAddress); !again.Has("access_token") {
		t.Errorf("login = %v", again.Data)
	}
	h.LoginByPasskey(device).OK()
}
