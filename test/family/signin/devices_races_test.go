package signin_test

import (
	"sync"
	"testing"

	"gatehouse.internal/test/harness"
)

// At most 50 are remembered, whoever asks at once on whatever replica.
func TestTrustRace(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, one, other *harness.Service) {
		actor, _ := trusting(one, alice)
		elsewhere := other.With(actor.AccessToken)
		for range 48 {
			actor.Do("DEVICE.TRUST", nil).OK()
		}
		var all sync.WaitGroup
		refused := make(chan bool, 6)
		for i := range 6 {
			all.Go(func() { refused <- []*harness.Actor{actor, elsewhere}[i%2].Do("DEVICE.TRUST", nil).Failure != nil })
		}
		all.Wait()
		no := 0
		for range 6 {
			if <-refused {
				no++
			}
		}
		if n := len(actor.Do("DEVICE.LIST", nil).List("items")); n != 50 || no != 4 {
			t.Errorf("%d are remembered, %d were refused", n, no)
		}
	})
}

// No device is remembered behind the back of a change of the password that ends
// the session.
func TestTrustAgainstTheEnd(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, one, other *harness.Service) {
		root := one.Superadmin()
		for _, email := range []string{"ada@example.com", "bob@example.com", "eve@example.com"} {
			actor, _ := trusting(one, email)
			var all sync.WaitGroup
			all.Go(func() { root.Do("MFA.RESET", P{"user_id": actor.UserID, "reason": "lost"}).OK() })
			all.Go(func() { other.With(actor.AccessToken).Do("DEVICE.TRUST", nil) })
			all.Wait()
			if items := root.Do("DEVICE.LIST", P{"user_id": actor.UserID}).List("items"); len(items) != 0 {
				t.Errorf("%s keeps %v", email, items)
			}
		}
	})
}
