package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestList(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, bob, root := h.SignUp(factorAddress), h.SignUp("bob@example.com"), h.Superadmin()
		none := alice.Do("MFA.LIST", nil).OK()
		if len(none.List("items")) != 0 || none.Int("recovery_codes_left") != 0 || none.Bool("required") {
			t.Errorf("before any enrollment: %v", none.Data)
		}
		root.Do("POLICY.SET", P{"kind": "mfa", "values": P{"required": true}}).OK()
		app := alice.EnrollApp()
		alice.Do("AUTH.MFA_SETUP_EMAIL", nil).OK()
		factorVerify(h, "recovery_code", app.RecoveryCodes[0]).OK()
		used := h.Clock.Now()
		h.LoginBy(factorAddress, app)
		h.Clock.Advance(time.Minute)

		own := alice.Do("MFA.LIST", nil).OK()
		items := own.List("items")
		if len(items) != 1 || own.Int("recovery_codes_left") != 9 || !own.Bool("required") {
			t.Fatalf("the list = %v", own.Data)
		}
		one := items[0]
		if one["id"] != app.FactorID || one["method"] != "totp" || one["name"] != "Authenticator app" || one["last_used_at"] != used.Format(time.RFC3339Nano) {
			t.Errorf("the factor = %v", one)
		}
		machine := root.Machine("helpdesk", "users:manage")
		machine.Do("MFA.LIST", nil).Fails(fault.Denied)
		root.Machine("other", "users:read").Do("MFA.LIST", P{"user_id": alice.UserID}).Fails(fault.NotFound)
		for _, who := range []*harness.Actor{root, keyOf(h, root), machine} {
			if got := who.Do("MFA.LIST", P{"user_id": alice.UserID}).OK().List("items"); len(got) != 1 {
				t.Errorf("an administrator sees %v", got)
			}
			who.Do("MFA.LIST", P{"user_id": factorNobody}).Fails(fault.NotFound)
		}

		got := root.Do("USER.GET", P{"user_id": alice.UserID}).OK().List("factors")
		if len(got) != 1 || got[0]["id"] != app.FactorID {
			t.Errorf("USER.GET shows %v", got)
		}
		if got := root.Do("USER.GET", P{"user_id": bob.UserID}).OK().List("factors"); len(got) != 0 {
			t.Errorf("USER.GET shows %v of somebody without", got)
		}
	})
}
