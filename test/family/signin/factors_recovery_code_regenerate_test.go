package signin_test

import (
	"slices"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/test/harness"
)

func TestRegenerate(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp(factorAddress)
		alice.Do("MFA.RECOVERY_CODE_REGENERATE", nil).Fails(fault.Validation)
		app := alice.EnrollApp()
		dry := alice.DryRun().Do("MFA.RECOVERY_CODE_REGENERATE", nil).OK()
		same(t, "codes of a dry run", slices.Compact(dry.Strings("recovery_codes")), []string{""})
		factorVerify(h, "recovery_code", app.RecoveryCodes[0]).OK()
		first := alice.Idempotent("k").Do("MFA.RECOVERY_CODE_REGENERATE", nil).OK().Strings("recovery_codes")
		again := alice.Idempotent("k").Do("MFA.RECOVERY_CODE_REGENERATE", nil).OK().Strings("recovery_codes")
		same(t, "codes of a repeated call", again, first)
		if len(first) != 10 {
			t.Errorf("%d codes", len(first))
		}
		factorVerify(h, "recovery_code", app.RecoveryCodes[1]).Fails(fault.Auth)
		factorVerify(h, "recovery_code", first[1]).OK()
		factorVerify(h, "recovery_code", first[1]).Fails(fault.Auth)
		same(t, "events", data(h, mfa.KindRegenerated), []string{`{"user_id":"` + alice.UserID + `"}`})
	})
}

func TestRegenerateNeedsTheFactor(t *testing.T) {
	t.Parallel()
	refusedWithoutFactor(t, harness.New(t), "MFA.RECOVERY_CODE_REGENERATE", nil)
}
