package signin_test

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

// authVerify answers a challenge by a code of a method.
func authVerify(h *harness.Service, token, method, code string) *harness.Reply {
	return h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "method": method, "code": code})
}

// methods are those that a login by password offers; nil when it needs none.
func methods(h *harness.Service, email string) []string {
	r := login(h, email, harness.Password).OK()
	if !r.Has("methods") {
		return nil
	}
	return r.Strings("methods")
}

func TestEnrollApp(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		alice := h.SignUp(authAddress)
		begun := alice.Do("AUTH.MFA_SETUP_TOTP", P{"name": "Phone"}).OK()
		otpauth, err := url.Parse(begun.String("otpauth_url"))
		if err != nil || otpauth.Path != "/Gatehouse:"+authAddress || otpauth.Query().Get("issuer") != "Gatehouse" || otpauth.Query().Get("secret") != begun.String("secret") {
			t.Errorf("otpauth_url = %q, %v", begun.String("otpauth_url"), err)
		}
		encoded, found := strings.CutPrefix(begun.String("qr_png"), "data:image/png;base64,")
		picture, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || !found {
			t.Fatalf("qr_png = %.40q, %v", begun.String("qr_png"), err)
		}
		if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
			t.Error(err)
		}
		if got := methods(h, authAddress); got != nil {
			t.Errorf("a pending enrollment asks for %q", got)
		}

		app := harness.NewApp(t, begun.String("secret"), h.Clock)
		done := alice.Do("AUTH.MFA_VERIFY", P{"code": app.Code()}).OK()
		codes := done.Strings("recovery_codes")
		form := regexp.MustCompile(`^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$`)
		if len(codes) != 10 || len(slices.Compact(slices.Sorted(slices.Values(codes)))) != 10 || !form.MatchString(codes[0]) {
			t.Errorf("recovery codes %q", codes)
		}
		same(t, "the result", []string{keys(done.Data)}, []string{"enabled recovery_codes"})
		same(t, "mfa.enrolled", data(h, mfa.KindEnrolled),
			[]string{`{"user_id":"` + alice.UserID + `","factor_id":"` + begun.String("factor_id") + `","method":"totp"}`})
		same(t, "methods", methods(there, authAddress), []string{"totp", "recovery_code"})

		// The code that confirmed does not work again, the next one does, once.
		token := h.Challenge(authAddress)
		authVerify(h, token, "totp", app.Code()).Fails(fault.Auth)
		h.Clock.Advance(harness.Step)
		there.Clock.Advance(harness.Step)
		pair := authVerify(there, token, "totp", app.Code()).OK()
		same(t, "the result", []string{keys(pair.Data)}, []string{"access_token expires_in refresh_token token_type"})
		who := h.With(pair.String("access_token")).Do("AUTH.WHOAMI", nil).OK()
		same(t, "amr", who.Strings("amr"), []string{"pwd", "otp", "mfa"})
		authVerify(h, token, "totp", app.CodeIn(harness.Step)).Fails(fault.Auth)
	})
}

// A set-up that begins replaces one that waits; one that waits too long is gone.
func TestPendingEnrollment(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	alice.Do("AUTH.MFA_VERIFY", P{"code": "123456"}).Fails(fault.Validation)
	first := alice.SetUpApp()
	second := alice.SetUpApp()
	alice.Do("AUTH.MFA_VERIFY", P{"code": first.Code()}).Fails(fault.Auth)
	alice.Do("AUTH.MFA_VERIFY", P{"code": second.Code(), "method": "email"}).Fails(fault.Validation)
	h.Clock.Advance(mfa.EnrollmentLife - time.Minute)
	alice.AccessToken = refresh(h, alice.RefreshToken).OK().String("access_token")
	spaced := second.Code()[:3] + " " + second.Code()[3:]
	alice.Do("AUTH.MFA_VERIFY", P{"code": spaced, "method": "totp"}).OK()
	alice.Do("AUTH.MFA_VERIFY", P{"code": second.CodeIn(harness.Step)}).Fails(fault.Validation)

	bob := h.SignUp("bob@example.com")
	late := bob.SetUpApp()
	h.Clock.Advance(mfa.EnrollmentLife)
	bob.AccessToken = refresh(h, bob.RefreshToken).OK().String("access_token")
	bob.Do("AUTH.MFA_VERIFY", P{"code": late.Code()}).Fails(fault.Validation)
	if n := len(h.Events(mfa.KindFailed)); n != 0 {
		t.Errorf("%d events mfa.failed of enrollments, want none", n)
	}
}

func TestEnrollMail(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		alice := h.SignUp(authAddress)
		begun := alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
		if !begun.Bool("sent") || begun.String("factor_id") == "" {
			t.Errorf("the set-up = %v", begun.Data)
		}
		checkMail := func() {
			t.Helper()
			if text := h.LastMail(authAddress).Text; !strings.Contains(text, "It was requested on "+h.Clock.Now().UTC().Format(mail.TimeFormat)+" from ") {
				t.Errorf("the mail does not tell when and from where its code was asked for: %s", text)
			}
		}
		code := h.MailedCode(authAddress)
		checkMail()
		for range 4 {
			alice.Do("AUTH.MFA_VERIFY", P{"code": wrong(code)}).Fails(fault.Auth)
		}
		if got := alice.Do("AUTH.MFA_VERIFY", P{"code": code}).OK().Strings("recovery_codes"); len(got) != 10 {
			t.Errorf("%d recovery codes", len(got))
		}
		alice.Do("AUTH.MFA_SETUP_EMAIL", nil).Fails(fault.Validation)
		same(t, "methods", methods(h, authAddress), []string{"email", "recovery_code"})

		token := h.Challenge(authAddress)
		sent := h.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": token, "method": "email"}).OK()
		if !sent.Bool("sent") || sent.Int("expires_in") != 300 {
			t.Errorf("the code: %v", sent.Data)
		}
		authVerify(h, token, "email", code).Fails(fault.Auth)
		older := h.MailedCode(authAddress)
		checkMail()
		h.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": token}).OK()
		code = h.MailedCode(authAddress)
		if older != code {
			authVerify(h, token, "email", older).Fails(fault.Auth)
		}
		other := h.Challenge(authAddress)
		authVerify(h, other, "email", code).Fails(fault.Auth)
		pair := there.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": token, "code": code}).OK()
		who := h.With(pair.String("access_token")).Do("AUTH.WHOAMI", nil).OK()
		same(t, "amr", who.Strings("amr"), []string{"pwd", "otp", "mfa"})
		authVerify(h, token, "email", code).Fails(fault.Auth)
		if n := len(h.Events(mfa.KindCodeSent)); n != 3 {
			t.Errorf("%d events mfa.code_sent, want 3", n)
		}
	})
}

// Where mail is the only way in, a mailed code is no second factor. A password makes
// it one, and so does a linked account or a passkey (signin.LoginMethods).
func TestMailIsNoSecondFactorToItself(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		root := h.Superadmin()
		id := root.Do("USER.CREATE", P{"email": authAddress}).OK().String("user.id")
		bare := h.With(byCode(h).OK().String("access_token"))
		refused := bare.Do("AUTH.MFA_SETUP_EMAIL", nil).Fails(fault.Validation)
		if refused.Failure.Message != mfa.ErrMailOnly.Message {
			t.Errorf("refused by %v", refused.Failure)
		}
		bare.Do("AUTH.MFA_VERIFY", P{"method": "email", "code": "123456"}).Fails(fault.Validation)
		root.Do("USER.SET_PASSWORD", P{"user_id": id, "password": harness.Password}).OK()
		h.Login(authAddress, harness.Password).Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
	})
}

// wrong is another code of as many digits.
func wrong(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

// Five wrong codes end the enrollment by mail; an old code confirms no new one.
func TestGuessedEnrollment(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
	code := h.MailedCode(authAddress)
	for range 5 {
		alice.DryRun().Do("AUTH.MFA_VERIFY", P{"code": wrong(code)}).Fails(fault.Auth)
	}
	alice.Do("AUTH.MFA_VERIFY", P{"code": code}).Fails(fault.Auth)
	if n := len(h.Events(mfa.KindFailed)); n != 5 {
		t.Errorf("%d events mfa.failed, want 5", n)
	}
	alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
	newer := h.MailedCode(authAddress)
	if newer != code {
		alice.Do("AUTH.MFA_VERIFY", P{"code": code}).Fails(fault.Auth)
	}
	for range 4 {
		alice.Do("AUTH.MFA_VERIFY", P{"code": wrong(newer)}).Fails(fault.Auth)
	}
	// Ten wrong codes in all: the account is locked for codes, also for the right one.
	alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
	alice.Do("AUTH.MFA_VERIFY", P{"code": h.MailedCode(authAddress)}).Fails(fault.Auth)
}

// A code by mail is no second factor for who came by mail.
func TestMailboxIsOneFactor(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	h.Anonymous().Do("AUTH.VERIFY_EMAIL", P{"token": h.LastMail(authAddress).Token()}).OK()
	alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
	alice.Do("AUTH.MFA_VERIFY", P{"code": h.MailedCode(authAddress)}).OK()
	started := h.Anonymous().Do("AUTH.PASSWORDLESS_START", P{"email": authAddress}).OK()
	in := h.Anonymous().Do("AUTH.PASSWORDLESS_VERIFY", P{"challenge_id": started.String("challenge_id"), "code": h.MailedCode(authAddress)}).OK()
	same(t, "methods", in.Strings("methods"), []string{"recovery_code"})
	h.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": in.String("challenge_token")}).Fails(fault.Validation).Field("/method")
}

// A factor is enrolled by somebody who proved presence a short time ago, and, where
// there is one already, by that.
func TestEnrollmentNeedsPresence(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	h.Clock.Advance(16 * time.Minute)
	alice.AccessToken = refresh(h, alice.RefreshToken).OK().String("access_token")
	for _, command := range []string{"AUTH.MFA_SETUP_TOTP", "AUTH.MFA_SETUP_EMAIL"} {
		alice.Do(command, nil).Fails(fault.Auth)
	}
	before := h.Login(authAddress, harness.Password)
	fresh := h.Login(authAddress, harness.Password)
	app := fresh.EnrollApp()
	fresh.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
	for _, command := range []string{"AUTH.MFA_SETUP_TOTP", "AUTH.MFA_SETUP_EMAIL"} {
		before.Do(command, nil).Fails(fault.Auth)
		h.LoginBy(authAddress, app).Do(command, nil).OK()
		h.Clock.Advance(harness.Step)
	}
	key := alice
	key.AccessToken = fresh.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{}}).OK().String("key")
	key.Do("AUTH.MFA_VERIFY", P{"code": "123456"}).Fails(fault.Denied)
}

func TestSeveralApps(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	apps := []*harness.App{}
	for range mfa.MaxApps {
		apps = append(apps, alice.EnrollApp())
	}
	alice.Do("AUTH.MFA_SETUP_TOTP", nil).Fails(fault.Validation)
	for i, app := range apps {
		if (app.RecoveryCodes != nil) != (i == 0) {
			t.Errorf("the app %d came with %d recovery codes", i, len(app.RecoveryCodes))
		}
		h.LoginBy(authAddress, app)
	}
}

// The sessions that were there stay, each proved by what held when it began; one
// that was opened for nothing but the enrollment comes to nothing more.
func TestSessionsAfterEnrollment(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	other := h.Login(authAddress, harness.Password)
	alice.EnrollApp()
	refresh(h, alice.RefreshToken).OK()
	refresh(h, other.RefreshToken).OK()
	if n := len(h.Events(session.KindRevoked)); n != 0 {
		t.Errorf("%d sessions ended", n)
	}
	if got := alice.Do("AUTH.WHOAMI", nil).OK().Strings("amr"); !slices.Equal(got, []string{"pwd", "otp", "mfa"}) {
		t.Errorf("amr of the session that enrolled = %q", got)
	}
	if got := other.Do("AUTH.WHOAMI", nil).OK().Strings("amr"); !slices.Equal(got, []string{"pwd"}) {
		t.Errorf("amr of another session = %q", got)
	}

	h.SignUp("bob@example.com")
	h.Superadmin().Do("POLICY.SET", P{"kind": "mfa", "values": P{"required": true}}).OK()
	in := login(h, "bob@example.com", harness.Password).OK()
	same(t, "required actions", in.Strings("required_actions"), []string{"enroll_mfa"})
	if in.Has("refresh_token") || in.Has("access_token") {
		t.Error("an unfinished login hands tokens out")
	}
	bob := h.With(in.String("challenge_token"))
	app := bob.EnrollApp()
	bob.Do("SESSION.LIST", nil).Fails(fault.Denied)
	bob.Do("AUTH.REAUTHENTICATE", P{"password": harness.Password}).Fails(fault.Denied)
	h.LoginBy("bob@example.com", app).Do("SESSION.LIST", nil).OK()
}

// What was required of a person is fulfilled by the enrollment.
func TestEnrollmentFulfills(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	h.Superadmin().Do("USER.SET_REQUIRED_ACTIONS", P{"user_id": alice.UserID, "actions": []string{"enroll_mfa"}}).OK()
	in := login(h, authAddress, harness.Password).OK()
	app := h.With(in.String("challenge_token")).EnrollApp()
	h.LoginBy(authAddress, app).Do("SESSION.LIST", nil).OK()
}

// Nothing of a dry run can be used: neither the secret nor the codes.
func TestDryEnrollment(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	alice.Do("AUTH.MFA_VERIFY", P{"code": "123456"}).Fails(fault.Validation)
	app := alice.SetUpApp()
	confirmed := alice.DryRun().Do("AUTH.MFA_VERIFY", P{"code": app.Code()}).OK()
	same(t, "recovery codes of a dry run", slices.Compact(confirmed.Strings("recovery_codes")), []string{""})
	same(t, "events of a dry run", confirmed.Strings("dry_run.events"), []string{"mfa.enrolled"})
	if got := methods(h, authAddress); got != nil {
		t.Errorf("a dry run enrolled %q", got)
	}

	// The same key answers the same codes, and the enrollment happens once.
	first := alice.Idempotent("k").Do("AUTH.MFA_VERIFY", P{"code": app.Code()}).OK()
	again := alice.Idempotent("k").Do("AUTH.MFA_VERIFY", P{"code": app.Code()}).OK()
	same(t, "recovery codes", again.Strings("recovery_codes"), first.Strings("recovery_codes"))
	if n := len(h.Events(mfa.KindEnrolled)); n != 1 || !again.Replayed {
		t.Errorf("%d enrollments", n)
	}
}

// Of those who confirm at once, one does, and gets the codes that work.
func TestParallelConfirmations(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice := here.SignUp(authAddress)
		app := alice.SetUpApp()
		replies := harness.Together(4, func(i int) *harness.Reply {
			return []*harness.Service{here, there}[i%2].With(alice.AccessToken).Do("AUTH.MFA_VERIFY", P{"code": app.Code()})
		})
		got := harness.Codes(replies)
		if got[""] != 1 || got[fault.Validation] != 3 {
			t.Fatalf("4 confirmations = %v", got)
		}
		for _, r := range replies {
			if r.Failure == nil {
				authVerify(there, here.Challenge(authAddress), "recovery_code", r.Strings("recovery_codes")[9]).OK()
			}
		}
	})
}

// A code that went to another mailbox confirms nothing.
func TestEnrollmentDiesWithTheAddress(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp(authAddress)
	alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
	code := h.MailedCode(authAddress)
	root.Do("USER.SET_EMAIL", P{"user_id": alice.UserID, "email": "other@example.com"}).OK()
	alice = h.Login("other@example.com", harness.Password)
	alice.Do("AUTH.MFA_VERIFY", P{"code": code}).Fails(fault.Auth)
}

// Whoever has the password alone begins an enrollment while there is no second factor.
// Once the owner has one, it comes to nothing.
func TestEnrollmentBesideAnother(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp(authAddress)
	thief := h.Login(authAddress, harness.Password)
	app := thief.SetUpApp()
	owner.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
	owner.Do("AUTH.MFA_VERIFY", P{"code": h.MailedCode(authAddress), "method": "email"}).OK()
	thief.Do("AUTH.MFA_VERIFY", P{"code": app.Code(), "method": "totp"}).Fails(fault.Auth)
	if got := thief.Do("AUTH.WHOAMI", nil).OK().Strings("amr"); !slices.Equal(got, []string{"pwd"}) {
		t.Errorf("amr of the thief's session = %q", got)
	}
	owner.Do("AUTH.MFA_VERIFY", P{"code": app.Code(), "method": "totp"}).OK()
}
