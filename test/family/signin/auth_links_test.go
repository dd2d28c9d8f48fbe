package signin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	signinstore "gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/test/harness"
)

func TestTicketGet(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	look := func(token string) *harness.Reply {
		return h.Anonymous().Do("AUTH.TICKET_GET", P{"token": token}).OK()
	}
	verification := mailedToken(h, authAddress)
	resetting := resetToken(h, authAddress)
	for token, purpose := range map[string]string{verification: "email_verify", resetting: "password_reset"} {
		for range 2 {
			r := look(token)
			if r.String("purpose") != purpose || !r.Bool("valid") || r.String("email_hint") != "a***@e***.com" || !r.Has("expires_at") {
				t.Errorf("%s = %v", purpose, r.Data)
			}
		}
	}
	alice.Do("USER.CHANGE_EMAIL", P{"new_email": "b@example.org", "password": harness.Password}).OK()
	if r := look(mailedToken(h, "b@example.org")); r.String("purpose") != "email_change" || r.String("email_hint") != "b***@e***.org" {
		t.Errorf("a change of address = %v", r.Data)
	}
	reset(h, resetting, fresh).OK()
	for _, token := range []string{resetting, "never made", authStart(h, P{"email": authAddress}).String("challenge_id")} {
		if r := look(token); r.Bool("valid") || r.Data["purpose"] != nil || r.Data["expires_at"] != nil || r.String("email_hint") != "" {
			t.Errorf("what is no link = %v", r.Data)
		}
	}
	again := resetToken(h, authAddress)
	h.Superadmin().Do("USER.DISABLE", P{"user_id": alice.UserID}).OK()
	if look(again).Bool("valid") {
		t.Error("a link of a disabled account is valid")
	}
	if e := h.Events(""); strings.Contains(fmt.Sprint(e), again) {
		t.Error("an event holds a token")
	}
}

func TestMethodList(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp(authAddress)
	h.Superadmin().Do("POLICY.SET", P{"kind": "password", "values": P{"min_length": 12}}).OK()
	ask := func(params P) *harness.Reply { return h.Anonymous().Do("AUTH.METHOD_LIST", params).OK() }
	r := ask(nil)
	if strings.Join(r.Strings("methods"), " ") != "password passkey code link" || len(r.Strings("providers")) != 0 || r.Int("password_policy.min_length") != 12 {
		t.Errorf("methods = %v", r.Data)
	}
	if !r.Bool("public_registration") {
		t.Error("a fresh instance lets nobody in")
	}
	h.Superadmin().Do("SETTINGS.SET", P{"values": P{"public_registration": false}}).OK()
	if ask(nil).Bool("public_registration") {
		t.Error("the switch of registration is not told")
	}
	if known, unknown := fmt.Sprint(ask(P{"email": authAddress}).Data), fmt.Sprint(ask(P{"email": "x@example.com"}).Data); known != unknown {
		t.Errorf("%s for a known address, %s for an unknown one", known, unknown)
	}
}

// door is a command that takes what works once.
type door struct {
	command string
	params  func(handle string) P
	// fits is what it is for.
	fits []challenge.Kind
}

func doors() []door {
	token := func(handle string) P { return P{"token": handle} }
	credential := P{"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": P{}}
	return []door{
		{"AUTH.RESET_PASSWORD", func(handle string) P { return P{"token": handle, "password": fresh} }, []challenge.Kind{challenge.PasswordReset}},
		{"AUTH.VERIFY_EMAIL", token, []challenge.Kind{challenge.EmailVerification, challenge.EmailChange}},
		{"AUTH.PASSWORDLESS_VERIFY", token, []challenge.Kind{challenge.LoginLink, challenge.FactorEnrollment}},
		{"AUTH.PASSWORDLESS_VERIFY", func(handle string) P { return P{"challenge_id": handle, "code": "123456"} }, []challenge.Kind{challenge.LoginCode}},
		{"AUTH.MFA_VERIFY", func(handle string) P { return P{"challenge_token": handle, "code": "123456"} }, nil},
		{"AUTH.MFA_SEND_CODE", func(handle string) P { return P{"challenge_token": handle} }, nil},
		{"WEBAUTHN.LOGIN_VERIFY", func(handle string) P { return P{"challenge_id": handle, "credential": credential} }, nil},
		{"WEBAUTHN.LOGIN_OPTIONS", func(handle string) P { return P{"challenge_token": handle} }, nil},
		{"WEBAUTHN.SIGNUP_VERIFY", func(handle string) P { return P{"challenge_id": handle, "credential": credential} }, nil},
		{"SOCIAL.CALLBACK", func(handle string) P {
			return P{"provider": "google", "code": handle, "redirect_uri": "https://app.example/cb"}
		}, nil},
		{"SOCIAL.CALLBACK", func(handle string) P {
			return P{"provider": "google", "code": "x", "state": handle, "redirect_uri": "https://app.example/cb"}
		}, nil},
		{"AUTH.REFRESH", func(handle string) P { return P{"refresh_token": handle} }, nil},
	}
}

func challengeKinds() []challenge.Kind {
	return []challenge.Kind{
		challenge.SecondFactor, challenge.FactorCode, challenge.PasskeyRegistration, challenge.PasskeyLogin, challenge.PasskeySignup,
		challenge.PasswordReset, challenge.EmailVerification, challenge.EmailChange, challenge.LoginLink, challenge.LoginCode,
		challenge.FactorEnrollment, challenge.SocialState, challenge.SocialCode,
	}
}

// Every door takes what it is for alone, and leaves everything else as it was.
func TestEachCommandAcceptsOnlyItsKindOfLink(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		waiting := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) signin.Challenges { return signinstore.Challenges(tx) })
		for i, kind := range challengeKinds() {
			email := fmt.Sprintf("person%d@example.com", i)
			whose := h.SignUp(email)
			handle := "handle-of-" + string(kind)
			place(t, h, waiting, kind, whose, email, handle)
			for _, d := range doors() {
				if fits(d, kind) {
					continue
				}
				r := h.Anonymous().Do(d.command, d.params(handle))
				if r.Failure == nil && d.command != "WEBAUTHN.LOGIN_OPTIONS" {
					t.Errorf("%s took a %s", d.command, kind)
				}
				if !there(t, waiting, h, kind, handle) {
					t.Errorf("%s used a %s up", d.command, kind)
					place(t, h, waiting, kind, whose, email, handle)
				}
			}
			for _, d := range doors() {
				if !fits(d, kind) {
					continue
				}
				if r := h.Anonymous().Do(d.command, d.params(handle)); r.Failure != nil {
					t.Errorf("%s refused a %s: %v", d.command, kind, r.Failure)
				}
			}
		}
	})
}

func fits(d door, kind challenge.Kind) bool {
	for _, one := range d.fits {
		if one == kind {
			return true
		}
	}
	return false
}

// place stores a challenge under a handle, answered by the code 123456.
func place(t *testing.T, h *harness.Service, waiting outbound.Unit[signin.Challenges], kind challenge.Kind, whose *harness.Actor, email, handle string) {
	t.Helper()
	digest, now := challenge.Digest(handle), h.Clock.Now()
	content := `{"email":"` + email + `"}`
	if kind == challenge.EmailChange {
		content = `{"email":"moved-` + email + `","was":"` + email + `","asked":"` + now.Format(time.RFC3339Nano) + `"}`
	}
	if kind == challenge.Terminal {
		content = `{"session":"` + whose.SessionID + `","challenge":"` + s256(verifier) + `"}`
	}
	err := waiting.Do(t.Context(), func(tx signin.Challenges) error {
		return tx.Open(t.Context(), challenge.Challenge{
			Digest: digest, Kind: kind, UserID: user.ID(whose.UserID), Content: []byte(content),
			Code: h.Store.Blinder().Index("challenge code/"+digest, "123456"), CodeExpiresAt: now.Add(time.Hour),
			CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// there reports whether a challenge was left without a wrong answer.
func there(t *testing.T, waiting outbound.Unit[signin.Challenges], h *harness.Service, kind challenge.Kind, handle string) bool {
	t.Helper()
	found := false
	err := waiting.Do(t.Context(), func(tx signin.Challenges) error {
		c, err := tx.Look(context.Background(), kind, challenge.Digest(handle), h.Clock.Now())
		found = err == nil && c.Failures == 0
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A code is worth nothing as a token, nor a refresh token as a link.
func TestSecretsOfOtherKinds(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := authVerified(h, authAddress)
	authStart(h, P{"email": authAddress}).OK()
	code := h.MailedCode(authAddress)
	for _, secret := range []string{code, alice.RefreshToken, alice.AccessToken[:200]} {
		reset(h, secret, fresh).Fails(fault.Auth)
		confirmEmail(h, secret).Fails(fault.Auth)
		enter(h, P{"token": secret}).Fails(fault.Auth)
	}
}
