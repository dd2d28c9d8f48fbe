package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

// codesOf counts the answers of calls that are made together on two replicas.
func codesOf(here, there *harness.Service, n int, call func(h *harness.Service, i int) *harness.Reply) map[fault.Code]int {
	return harness.Codes(harness.Together(n, func(i int) *harness.Reply { return call([]*harness.Service{here, there}[i%2], i) }))
}

// A code works once, however many try it at once, in one challenge or in several.
func TestOneCodeOneLogin(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice := here.SignUp(authAddress)
		app := alice.EnrollApp()
		there.Clock.Advance(harness.Step)
		one := here.Challenge(authAddress)
		several := []string{}
		for range 6 {
			several = append(several, here.Challenge(authAddress))
		}
		begins := func(what, method, code string, token func(i int) string) {
			t.Helper()
			before := begun(here)
			got := codesOf(here, there, 4, func(h *harness.Service, i int) *harness.Reply { return authVerify(h, token(i), method, code) })
			if got[""] != 1 || got[fault.Auth] != 3 || begun(here) != before+1 {
				t.Errorf("%s: %v, %d sessions began", what, got, begun(here)-before)
			}
		}
		begins("one challenge", "totp", app.Code(), func(int) string { return one })
		here.Clock.Advance(harness.Step)
		there.Clock.Advance(harness.Step)
		begins("several challenges", "totp", app.Code(), func(i int) string { return several[i] })
		fresh := make([]string, 4)
		for i := range fresh {
			fresh[i] = here.Challenge(authAddress)
		}
		begins("a recovery code", "recovery_code", app.RecoveryCodes[3], func(i int) string { return fresh[i] })
		bypass := here.Superadmin().Do("MFA.BYPASS_CREATE", P{"user_id": alice.UserID}).OK().String("code")
		for i := range fresh {
			fresh[i] = here.Challenge(authAddress)
		}
		begins("a bypass", "bypass", bypass, func(i int) string { return fresh[i] })
		alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
		alice.Do("AUTH.MFA_VERIFY", P{"code": here.MailedCode(authAddress)}).OK()
		one = here.Challenge(authAddress)
		here.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": one}).OK()
		begins("a mailed code", "email", here.MailedCode(authAddress), func(int) string { return one })
		if n := len(here.Events(mfa.KindSucceeded)); n != 5 {
			t.Errorf("%d events mfa.succeeded, want 5", n)
		}
	})
}

// begun is how many sessions there were ever.
func begun(h *harness.Service) int { return len(h.Events(session.KindCreated)) }

// Five wrong codes end a challenge, to the call, however many try at once.
func TestFiveWrongCodesEndAChallenge(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		app := here.SignUp(authAddress).EnrollApp()
		there.Clock.Advance(harness.Step)
		token := here.Challenge(authAddress)
		got := codesOf(here, there, 8, func(h *harness.Service, _ int) *harness.Reply { return authVerify(h, token, "totp", wrong(app.Code())) })
		if got[fault.Auth] != 8 {
			t.Errorf("8 wrong codes = %v", got)
		}
		if n := len(here.Events(mfa.KindFailed)); n != 5 {
			t.Errorf("%d events mfa.failed, want 5", n)
		}
		authVerify(there, token, "totp", app.Code()).Fails(fault.Auth)
		token = here.Challenge(authAddress)
		for range 4 {
			authVerify(here, token, "recovery_code", "0000-0000-0000-0000").Fails(fault.Auth)
		}
		authVerify(there, token, "totp", app.Code()).OK()
	})
}

// Wrong codes are counted over all challenges of an account. The lock ends when it
// says, and is not lengthened by what is tried meanwhile.
func TestWrongCodesLockTheAccount(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice := here.SignUp(authAddress)
		app := alice.EnrollApp()
		there.Clock.Advance(harness.Step)
		guess := func(times int) {
			for i := range times {
				r := authVerify(here, here.Challenge(authAddress), "totp", wrong(app.Code())).Fails(fault.Auth)
				if r.Failure.Message != mfa.ErrWrongCode.Message {
					t.Fatalf("guess %d = %v", i, r.Failure)
				}
			}
		}
		guess(9)
		here.LoginBy(authAddress, app)
		here.Clock.Advance(harness.Step)
		guess(10)
		until := here.Clock.Now().Add(15 * time.Minute)
		r := authVerify(here, here.Challenge(authAddress), "totp", app.Code()).Fails(fault.Auth)
		if r.Failure.Message != mfa.ErrWrongCode.Message {
			t.Errorf("the right code during the lock = %v", r.Failure)
		}
		authVerify(here, here.Challenge(authAddress), "recovery_code", app.RecoveryCodes[0]).Fails(fault.Auth)
		want := `{"user_id":"` + alice.UserID + `","method":"totp","locked_until":"` + until.Format(time.RFC3339Nano) + `"}`
		same(t, "mfa.failed", data(here, mfa.KindFailed)[1:3], []string{want, want})

		here.Clock.Advance(15*time.Minute - time.Microsecond)
		authVerify(here, here.Challenge(authAddress), "recovery_code", app.RecoveryCodes[0]).Fails(fault.Auth)
		here.Clock.Advance(time.Microsecond)
		authVerify(here, here.Challenge(authAddress), "recovery_code", app.RecoveryCodes[0]).OK()

		// The owner's sessions live on all the while.
		refresh(here, alice.RefreshToken).OK()
	})
}

// What is counted is exact however many guess at once.
func TestParallelWrongCodes(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		app := here.SignUp(authAddress).EnrollApp()
		there.Clock.Advance(harness.Step)
		tokens := make([]string, 10)
		for i := range tokens {
			tokens[i] = here.Challenge(authAddress)
		}
		last := here.Challenge(authAddress)
		got := codesOf(here, there, 10, func(h *harness.Service, i int) *harness.Reply {
			return authVerify(h, tokens[i], "totp", wrong(app.Code()))
		})
		if got[fault.Auth] != 10 {
			t.Errorf("10 wrong codes = %v", got)
		}
		authVerify(there, last, "totp", app.Code()).Fails(fault.Auth)
	})
}

// A code of one kind is none of another, whatever it is said to be.
func TestKindsOfCodes(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp(authAddress)
	app := alice.EnrollApp()
	alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
	alice.Do("AUTH.MFA_VERIFY", P{"code": h.MailedCode(authAddress)}).OK()
	root.Do("POLICY.SET", P{"kind": "lockout", "values": P{"max_failures": 100}}).OK()
	bypass := root.Do("MFA.BYPASS_CREATE", P{"user_id": alice.UserID}).OK().String("code")
	token := h.Challenge(authAddress)
	h.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": token}).OK()
	mailed := h.MailedCode(authAddress)
	given := map[string]string{"totp": app.Code(), "email": mailed, "recovery_code": app.RecoveryCodes[0], "bypass": bypass}
	for method := range given {
		for other, code := range given {
			if method != other && (method != "totp" && method != "email" || app.Code() != mailed) {
				authVerify(h, h.Challenge(authAddress), method, code).Fails(fault.Auth)
			}
		}
	}
	authVerify(h, token, "email", mailed).OK()
	for _, code := range []string{given["totp"], given["recovery_code"], bypass} {
		h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": h.Challenge(authAddress), "code": code}).OK()
		h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": h.Challenge(authAddress), "code": code}).Fails(fault.Auth)
	}
	// Tokens of other kinds are no challenge, and a challenge is no token.
	for _, other := range []string{alice.AccessToken, alice.RefreshToken, given["bypass"], "x"} {
		authVerify(h, other, "totp", app.CodeIn(harness.Step)).Fails(fault.Auth)
		h.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": other}).Fails(fault.Auth)
	}
	refresh(h, h.Challenge(authAddress)).Fails(fault.Auth)
	h.With(h.Challenge(authAddress)).Do("AUTH.WHOAMI", nil).Fails(fault.TokenInvalid)
}

// One step of skew is taken either way, and no more; what lies before a code that
// was used does not work.
func TestSkewOfApps(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	app := h.SignUp(authAddress).EnrollApp()
	h.Clock.Advance(time.Hour)
	for _, off := range []time.Duration{-2 * harness.Step, 2 * harness.Step} {
		authVerify(h, h.Challenge(authAddress), "totp", app.CodeIn(off)).Fails(fault.Auth)
	}
	authVerify(h, h.Challenge(authAddress), "totp", app.CodeIn(-harness.Step)).OK()
	authVerify(h, h.Challenge(authAddress), "totp", app.CodeIn(harness.Step)).OK()
	authVerify(h, h.Challenge(authAddress), "totp", app.Code()).Fails(fault.Auth)
}

// A right code opens nothing for somebody who may not log in any more.
func TestRightCodeForNobody(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(h *harness.Service, root *harness.Actor, id string){
		"disabled": func(_ *harness.Service, root *harness.Actor, id string) {
			root.Do("USER.DISABLE", P{"user_id": id}).OK()
		},
		"deleted": func(_ *harness.Service, root *harness.Actor, id string) {
			root.Do("USER.DELETE", P{"user_id": id}).OK()
		},
		"locked": func(h *harness.Service, _ *harness.Actor, _ string) { guess(h, authAddress, 10) },
		"password changed": func(_ *harness.Service, root *harness.Actor, id string) {
			root.Do("USER.SET_PASSWORD", P{"user_id": id, "password": "quite another battery"}).OK()
		},
		"factors reset": func(_ *harness.Service, root *harness.Actor, id string) { root.Do("MFA.RESET", P{"user_id": id}).OK() },
		"too late":      func(h *harness.Service, _ *harness.Actor, _ string) { h.Clock.Advance(5 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
				alice := h.SignUp(authAddress)
				app := alice.EnrollApp()
				token, root := h.Challenge(authAddress), h.Superadmin()
				before := begun(h)
				end(h, root, alice.UserID)
				authVerify(h, token, "totp", app.Code()).Fails(fault.Auth)
				if begun(h) != before {
					t.Error("a session began")
				}
			})
		})
	}
}

// The right code of a locked account is used up, and the refusal is stored.
func TestLockedMeanwhile(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	app := alice.EnrollApp()
	token := h.Challenge(authAddress)
	guess(h, authAddress, 10)
	authVerify(h, token, "totp", app.Code()).Fails(fault.Auth)
	same(t, "login.failed", data(h, loginevent.KindFailed)[:1], []string{`{"user_id":"` + alice.UserID + `","reason":"locked"}`})
	h.Clock.Advance(15 * time.Minute)
	authVerify(h, token, "totp", app.Code()).Fails(fault.Auth)
}

// A dry run counts wrong codes and gives nothing away.
func TestDryVerification(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	app := h.SignUp(authAddress).EnrollApp()
	token := h.Challenge(authAddress)
	dry := func(code string) *harness.Reply {
		return h.Anonymous().DryRun().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "code": code})
	}
	before := begun(h)
	r := dry(app.Code()).OK()
	if r.String("access_token") != "" || r.String("refresh_token") != "" || begun(h) != before {
		t.Error("a dry run hands tokens out")
	}
	same(t, "events", r.Strings("dry_run.events"), []string{"mfa.succeeded", "session.created", "login.succeeded"})
	for range 5 {
		dry(wrong(app.Code())).Fails(fault.Auth)
	}
	if n := len(h.Events(mfa.KindFailed)); n != 5 {
		t.Errorf("%d events mfa.failed, want 5", n)
	}
	authVerify(h, token, "totp", app.Code()).Fails(fault.Auth)
}

func TestVerifyParameters(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	app := alice.EnrollApp()
	token := h.Challenge(authAddress)
	for path, params := range map[string][]P{
		"/challenge_token": {{"code": "123456"}, {"code": "1", "challenge_token": ""}},
		"/code":            {{"challenge_token": token}, {"challenge_token": token, "code": ""}, {"challenge_token": token, "method": "totp"}},
		"/credential": {
			{"challenge_token": token, "method": "passkey"},
			{"challenge_token": token, "credential": P{}, "code": "1"},
			{"challenge_token": token, "credential": P{}, "method": "totp"},
		},
		"/method": {{"challenge_token": token, "code": "1", "method": "sms"}},
	} {
		for _, p := range params {
			h.Anonymous().Do("AUTH.MFA_VERIFY", p).Fails(fault.Validation).Field(path)
		}
	}
	alice.Do("AUTH.MFA_VERIFY", P{"credential": P{}}).Fails(fault.Validation).Field("/credential")
	authVerify(h, token, "email", "123456").Fails(fault.Auth)
	h.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": token}).Fails(fault.Validation).Field("/method")
	authVerify(h, token, "totp", app.Code()).OK()
}

// A passkey answers a challenge, of its owner alone.
func TestAuthPasskeyAsSecondFactor(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp(authAddress), h.SignUp("bob@example.com")
	alice.EnrollApp()
	key, other := alice.Passkey(), bob.Passkey()
	same(t, "methods", methods(h, authAddress), []string{"totp", "recovery_code", "passkey"})
	answer := func(device *harness.Authenticator) *harness.Reply {
		token := h.Challenge(authAddress)
		options := h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", P{"challenge_token": token}).OK().Data["options"].(P)
		return h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "credential": device.Sign(options)})
	}
	answer(other).Fails(fault.Auth)
	who := h.With(answer(key).OK().String("access_token")).Do("AUTH.WHOAMI", nil).OK()
	same(t, "amr", who.Strings("amr"), []string{"pwd", "hwk", "user", "mfa"})
}

// Nobody's mailbox is flooded, by however many challenges.
func TestMailedCodesAreBounded(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
	alice.Do("AUTH.MFA_VERIFY", P{"code": h.MailedCode(authAddress)}).OK()
	send := func(token string) *harness.Reply {
		return h.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": token})
	}
	one := h.Challenge(authAddress)
	for range 5 {
		send(one).OK()
	}
	send(one).Fails(fault.RateLimited)
	for range mfa.MailsAnHour - 6 {
		send(h.Challenge(authAddress)).OK()
	}
	if wait := send(h.Challenge(authAddress)).Fails(fault.RateLimited).Failure.RetryAfter; wait != time.Hour {
		t.Errorf("told to wait %v, want an hour", wait)
	}
	h.Clock.Advance(time.Hour)
	send(h.Challenge(authAddress)).OK()
}
