package signin_test

import (
	"fmt"
	"testing"

	"gatehouse.internal/test/harness"
)

// Where a policy asks for a second factor, an app and a passkey that are taken away at
// once over two replicas are not both gone.
func TestLastFactorRace(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		here, there := harness.On(t, database), harness.On(t, database)
		const people = 12
		actors, apps, keys := make([]*harness.Actor, people), make([]P, people), make([]P, people)
		for i := range actors {
			a := here.SignUp(fmt.Sprintf("person%d@example.com", i))
			a.Passkey()
			keys[i] = P{"credential_id": a.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items")[0]["credential_id"]}
			apps[i] = P{"factor_id": a.EnrollApp().FactorID}
			actors[i] = a
		}
		here.Superadmin().Do("POLICY.SET", P{"kind": "mfa", "values": P{"required": true}}).OK()
		there.Clock.Advance(here.Clock.Now().Sub(there.Clock.Now()))
		for i, a := range actors {
			got := harness.Together(2, func(n int) *harness.Reply {
				if n == 0 {
					return here.With(a.AccessToken).Do("MFA.DELETE", apps[i])
				}
				return there.With(a.AccessToken).Do("WEBAUTHN.REVOKE", keys[i])
			})
			factors, passkeys := a.Do("MFA.LIST", nil).OK().List("items"), a.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items")
			if len(factors)+len(passkeys) != 1 {
				t.Errorf("person %d has %d factors and %d passkeys left: %v", i, len(factors), len(passkeys), harness.Codes(got))
			}
		}
	})
}
