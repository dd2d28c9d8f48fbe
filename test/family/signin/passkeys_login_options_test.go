package signin_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/test/harness"
)

// Whatever the address is, the options differ in nothing but the challenge.
func TestOptionsTellNothing(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	h.SignUp(passkeyAddress).Passkey()
	h.SignUp("bare@example.com")
	disabled := h.SignUp("disabled@example.com")
	disabled.Passkey()
	root.Do("USER.DISABLE", P{"user_id": disabled.UserID}).OK()
	locked := h.SignUp("locked@example.com")
	locked.Passkey()
	for range 10 {
		h.Anonymous().Do("AUTH.LOGIN", P{"email": "locked@example.com", "password": "wrong"}).Fails(fault.Auth)
	}
	want := P{"timeout": 300_000.0, "rpId": "gatehouse.test", "userVerification": "required"}
	seen := map[any]bool{}
	for _, params := range []P{
		nil,
		{"email": passkeyAddress},
		{"email": "bare@example.com"},
		{"email": "disabled@example.com"},
		{"email": "locked@example.com"},
		{"email": "nobody@example.com"},
		{"email": "nobody@example.com"},
	} {
		r := h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", params).OK()
		got := r.Data["options"].(P)
		challenge, id := got["challenge"].(string), r.String("challenge_id")
		if len(challenge) != 43 || len(id) != 64 || seen[challenge] || seen[id] || len(r.Data) != 2 {
			t.Errorf("%v: %v", params, r.Data)
		}
		seen[challenge], seen[id] = true, true
		delete(got, "challenge")
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: options = %v, want %v", params, got, want)
		}
	}
}

// An address that was given decides whose passkey is taken, however it is spelled.
func TestOptionsForAnAddress(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice := here.SignUp(passkeyAddress)
		device := alice.Passkey()
		for _, spelled := range []string{passkeyAddress, " ALICE@Example.COM "} {
			answer(there, device.Sign(asked(here, P{"email": spelled}))).OK()
		}
		here.SignUp("bob@example.com")
		for _, other := range []string{"bob@example.com", "nobody@example.com", "alice+1@example.com"} {
			refused(t, there, answer(there, device.Sign(asked(here, P{"email": other}))), alice.UserID, loginevent.WrongPasskey)
		}
	})
}

func TestLoginOptionsParameters(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	for path, params := range map[string]P{
		"/email":           {"email": "no address"},
		"/challenge_token": {"email": passkeyAddress, "challenge_token": "x"},
		"/user_id":         {"user_id": passkeyNobody},
		"/org_id":          {"org_id": "org_01jd7x9k2mf3q8v5t0abcdefgh"},
	} {
		h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", params).Fails(fault.Validation).Field(path)
	}
	gone(t, h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", P{"challenge_token": "nobody made it"}))
}

// One address begins no more than 60 ceremonies a minute, like any anonymous command.
func TestLoginOptionsLimit(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	same := h.Anonymous().From(7)
	for range 60 {
		same.Do("WEBAUTHN.LOGIN_OPTIONS", nil).OK()
	}
	same.Do("WEBAUTHN.LOGIN_OPTIONS", nil).Fails(fault.RateLimited)
	h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", nil).OK()
}

// What is remembered of a ceremony is sealed, and gone with it.
func TestCeremoniesAreSealed(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	begun := asked(h, P{"email": passkeyAddress})
	rows := func() (found []struct {
		Digest, Content string
		UserID          *string `db:"user_id"`
	},
	) {
		if err := h.Store.Database().Read.SelectContext(t.Context(), &found, `SELECT digest, content, user_id FROM challenges`); err != nil {
			t.Fatal(err)
		}
		return found
	}
	stored := rows()
	if len(stored) != 1 || stored[0].UserID != nil {
		t.Fatalf("stored = %v", stored)
	}
	text := fmt.Sprint(stored[0].Digest, stored[0].Content)
	for _, secret := range []string{begun["challenge"].(string), passkeyAddress, "gatehouse.test"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s stands in the store", secret)
		}
	}
	answer(h, h.SignUp("bob@example.com").Passkey().Sign(begun)).Fails(fault.Auth)
	if left := rows(); len(left) != 0 {
		t.Errorf("left = %v", left)
	}
}
