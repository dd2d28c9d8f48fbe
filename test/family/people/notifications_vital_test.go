package people_test

import (
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// The mail about a lock says when it ends, and how to get in before.
func TestLockMailSaysHowToGetIn(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp(alice)
	for range 10 {
		h.Anonymous().Do("AUTH.LOGIN", P{"email": alice, "password": "wrong"}).Fails(fault.Auth)
		h.Clock.Advance(7_000_000_000)
	}
	said := h.LastMail(alice).Text
	for _, want := range []string{"locked", "This ends on", "reset your password"} {
		if !strings.Contains(said, want) {
			t.Errorf("the mail lacks %q: %s", want, said)
		}
	}
}

// Who has a recovery code of somebody is told of to that person.
func TestRecoveryCodeUsedIsMailed(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp(alice)
	codes := owner.Do("AUTH.MFA_VERIFY", P{"code": owner.SetUpApp().Code()}).OK().Strings("recovery_codes")
	h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": h.Challenge(alice), "code": codes[0]}).OK()
	if got := subjects(h); !slices.Contains(got, "A recovery code was used") {
		t.Errorf("mails %q", got)
	}
}
