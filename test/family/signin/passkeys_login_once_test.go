package signin_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/test/harness"
)

// Guessing at the password locks the password, not the passkey.
func TestPasswordLockLeavesPasskey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	device := h.SignUp(passkeyAddress).Passkey()
	for range 10 {
		h.Anonymous().Do("AUTH.LOGIN", P{"email": passkeyAddress, "password": "wrong"}).Fails(fault.Auth)
	}
	h.Anonymous().Do("AUTH.LOGIN", P{"email": passkeyAddress, "password": harness.Password}).Fails(fault.Auth)
	h.LoginByPasskey(device).OK()
}

// Of all who answer a ceremony at once, on whatever replica, one gets in.
func TestReplayInParallel(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		alice := here.SignUp(passkeyAddress)
		device := alice.Passkey()
		for range 3 {
			credential := device.Sign(asked(here, nil))
			got := harness.Codes(harness.Together(16, func(i int) *harness.Reply {
				return answer([]*harness.Service{here, there}[i%2], credential)
			}))
			if got[""] != 1 || got[fault.Auth] != 15 {
				t.Errorf("16 answers to one ceremony = %v", got)
			}
		}
		// Answers to different ceremonies all count, whoever comes first.
		begun := make([]P, 8)
		for i := range begun {
			begun[i] = device.Sign(asked(here, nil))
		}
		got := harness.Codes(harness.Together(len(begun), func(i int) *harness.Reply {
			return answer([]*harness.Service{here, there}[i%2], begun[i])
		}))
		if got[""] != len(begun) {
			t.Errorf("%d answers to as many ceremonies = %v", len(begun), got)
		}
	})
}

// A dry run keeps nothing of a success, and does not give a wrong answer back.
func TestDryLogin(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(passkeyAddress)
	device := alice.Passkey()
	dry := func(credential P) *harness.Reply {
		return h.Anonymous().DryRun().Do("WEBAUTHN.LOGIN_VERIFY", P{"credential": credential})
	}
	credential := device.Sign(asked(h, nil))
	r := dry(credential).OK()
	if r.String("access_token") != "" || !slices.Equal(r.Strings("dry_run.events"), []string{"session.created", "login.succeeded"}) {
		t.Errorf("data = %v", r.Data)
	}
	answer(h, credential).OK()
	wrong := forgery{raw: flip(flagsAt, passkeyVerified)}.of(h, device)
	refused(t, h, dry(wrong), alice.UserID, loginevent.WrongPasskey)
	gone(t, answer(h, wrong))
	options := h.Anonymous().DryRun().Do("WEBAUTHN.LOGIN_OPTIONS", nil).OK().Data["options"].(P)
	gone(t, answer(h, device.Sign(options)))
}

// Nothing of the answer is stored in events, and the message of a refusal tells none
// of what the library says.
func TestRefusalsAreQuiet(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	device := h.SignUp(passkeyAddress).Passkey()
	credential := forgery{raw: flip(flagsAt, present)}.of(h, device)
	r := answer(h, credential).Fails(fault.Auth)
	failure, err := json.Marshal(r.Failure)
	if err != nil || strings.Contains(string(failure), "flag") || len(r.Failure.Fields) > 0 {
		t.Errorf("failure = %s, %v", failure, err)
	}
	for _, e := range h.Events("") {
		if strings.Contains(string(e.Data), credential["id"].(string)) {
			t.Errorf("%s holds the credential: %s", e.Kind, e.Data)
		}
	}
}
