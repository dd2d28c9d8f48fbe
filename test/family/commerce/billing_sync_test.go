package commerce_test

import (
	"fmt"
	"math/rand/v2"
	"path"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// silent loses what the sandbox tells.
func (s *shop) silent(t *testing.T, page string, acts ...string) {
	t.Helper()
	s.Sandbox.Transport = keeping(func([]byte, string) {})
	for _, act := range acts {
		if err := s.Sandbox.Act(t.Context(), path.Base(page), act); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever is lost, and in whatever order the rest comes, a SYNC ends in one state.
func TestSyncRepairsWhateverWasLost(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		var want string
		for round := range 8 {
			who := s.SignUp(fmt.Sprintf("round%d@example.com", round))
			id, page := s.begin(who, P{"price_id": s.monthly, "quantity": 2})
			var hooks []func()
			s.Sandbox.Transport = keeping(func(body []byte, signature string) {
				hooks = append(hooks, func() { post(s.Service, "sandbox", signature, body) })
			})
			for _, act := range []string{"fail", "pay", "fail-renewal", "pay-due", "dispute", "win", "refund", "renew"} {
				if err := s.Sandbox.Act(t.Context(), path.Base(page), act); err != nil {
					t.Fatal(err)
				}
			}
			rand.Shuffle(len(hooks), func(i, j int) { hooks[i], hooks[j] = hooks[j], hooks[i] })
			kept := rand.IntN(len(hooks)) // in the first two rounds all and none
			switch round {
			case 0:
				kept = len(hooks)
			case 1:
				kept = 0
			}
			for _, one := range hooks[:kept] {
				one()
				s.Settle()
			}
			synced := s.seller.Do("BILLING.SYNC", nil).OK()
			if n := synced.Int("changed"); (round == 0 && n != 0) || (round == 1 && n != 1) || synced.Int("checked") != round+1 {
				t.Errorf("round %d with %d of %d hooks: %v", round, kept, len(hooks), synced.Data)
			}
			got := who.Do("BILLING.CHECKOUT_GET", P{"checkout_id": id}).OK()
			state := fmt.Sprint(got.String("checkout.status"), got.String("subscription.status"), got.Data["subscription"].(P)["period_end"],
				got.String("license.status"), got.Data["license"].(P)["expires_at"], len(who.Do("BILLING.INVOICE_LIST", P{"status": "paid"}).OK().List("items")),
				len(s.seller.Do("BILLING.REFUND_LIST", nil).OK().List("items"))-round)
			if round == 0 {
				want = state
			} else if state != want {
				t.Errorf("in round %d the end is %s, without loss %s", round, state, want)
			}
		}
	})
}

// SYNC looks at what it is told to and at nothing of others; many sales are a job's.
func TestSync(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		id, page := s.begin(s.buyer, P{"price_id": s.monthly})
		s.Act(page, "pay")
		got := s.checkout(id)
		sub, customer := got.String("subscription.id"), got.String("subscription.customer_id")
		stranger := s.SignUp("stranger@example.com")
		for _, params := range []P{{"subscription_id": sub}, {"customer_id": customer}} {
			s.buyer.Do("BILLING.SYNC", params).Fails(fault.NotFound)
			stranger.Do("BILLING.SYNC", params).Fails(fault.NotFound)
			if got := s.seller.Do("BILLING.SYNC", params).OK(); got.Int("checked") != 1 || got.Int("changed") != 0 {
				t.Errorf("nothing differs by %v: %v", params, got.Data)
			}
		}
		if got := stranger.Do("BILLING.SYNC", nil).OK(); got.Int("checked") != 0 {
			t.Errorf("a stranger looks at %v", got.Data)
		}
		s.silent(t, page, "end")
		if got := s.seller.Do("BILLING.SYNC", P{"subscription_id": sub}).OK(); got.Int("changed") != 1 {
			t.Errorf("what was lost: %v", got.Data)
		}
		if got := s.checkout(id); got.String("subscription.status") != "ended" || s.validity(got) != "revoked" {
			t.Errorf("after the end: %v", got.Data)
		}
		for quantity := range 10 {
			_, page = s.begin(s.buyer, P{"price_id": s.monthly, "quantity": quantity + 2})
			s.silent(t, page, "pay")
		}
		started := s.seller.Do("BILLING.SYNC", nil).OK()
		if started.Data["checked"] != nil {
			t.Errorf("11 sales: %v", started.Data)
		}
		s.RunJobs()
		s.Settle()
		if got := s.seller.Do("JOB.GET", P{"job_id": started.String("job_id")}).OK(); got.String("job.status") != "succeeded" || got.Int("job.done") != 11 {
			t.Errorf("the job: %v", got.Data)
		}
		if n := len(s.buyer.Do("BILLING.SUBSCRIPTION_LIST", nil).OK().List("items")); n != 10 {
			t.Errorf("%d subscriptions, want 10", n)
		}
		var left int
		if err := s.Store.Database().Read.Get(&left, `SELECT COUNT(*) FROM checkouts WHERE look_at IS NOT NULL`); err != nil || left != 10 {
			t.Errorf("%d sales are looked at again, %v; want the 10 that go on", left, err)
		}
	})
}

// The processor is asked about what it does not tell of: a page that nobody paid at gives the
// place of its coupon back, and a period that ended goes on or does not.
func TestSalesWithoutNews(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		s.seller.Do("BILLING.COUPON_CREATE", P{"code": "half", "percent_off": 50, "max_redemptions": 1}).OK()
		unpaid, _ := s.begin(s.buyer, P{"price_id": s.once, "coupon": "half"})
		running, page := s.begin(s.buyer, P{"price_id": s.monthly})
		s.Act(page, "pay")
		other := s.SignUp("other@example.com")
		other.Do("BILLING.CHECKOUT_CREATE", P{"price_id": s.once, "coupon": "half", "success_url": done}).Fails(fault.Validation)
		s.Clock.Advance(24 * time.Hour)
		s.Settle()
		if n := len(s.Events("checkout.expired")); n != 0 {
			t.Errorf("%d checkouts expired before the processor had time to tell", n)
		}
		s.later(1)
		s.Settle()
		if got := s.checkout(unpaid); got.String("checkout.status") != "expired" || len(s.Events("checkout.expired")) != 1 {
			t.Errorf("a page that nobody paid at: %v", got.Data)
		}
		other = s.Login("other@example.com", harness.Password)
		s.begin(other, P{"price_id": s.once, "coupon": "half"})

		before := s.checkout(running).Data["subscription"].(P)["period_end"]
		s.later(28)
		s.silent(t, page, "renew")
		s.later(2)
		s.Settle()
		if got := s.checkout(running); got.Data["subscription"].(P)["period_end"] == before || s.validity(got) != "active" {
			t.Errorf("a period that ended without news: %v", got.Data)
		}
		s.later(31)
		s.Settle()
		s.silent(t, page, "end")
		s.later(1)
		s.Settle()
		if got := s.checkout(running); got.String("subscription.status") != "ended" {
			t.Errorf("an end without news: %v", got.Data)
		}
	})
}
