package commerce_test

import (
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/test/harness"
)

// A refund that failed after all takes nothing, whether it was believed to have succeeded or
// not: the buyer has a license, as if the end alone had been told.
func TestRefundsThatFailInTheEnd(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		for name, order := range map[string][]string{
			"in order": {"succeeded", "failed"}, "the other way": {"failed", "succeeded"}, "at last": {"failed"}, "twice": {"succeeded", "succeeded", "failed", "succeeded"},
		} {
			who := s.SignUp(strings.ReplaceAll(name, " ", "-") + "@example.com")
			id, page := s.begin(who, P{"price_id": s.once})
			s.Act(page, "pay")
			known := false
			for i, status := range order {
				s.refundBecomes(t, page, billing.RefundStatus(status), i)
				want := "active"
				if known = known || status == "failed"; !known {
					want = "revoked"
				}
				got := who.Do("BILLING.CHECKOUT_GET", P{"checkout_id": id}).OK()
				if got.String("license.status") != want {
					t.Errorf("%s: after a refund that %s the license is %v, want %s", name, status, got.Data["license"], want)
				}
			}
		}
	})
}

// refundBecomes tells of a refund of the whole payment of a sale, in a state: it succeeded at
// one time, and failed a second later. nth numbers what is told.
func (s *shop) refundBecomes(t *testing.T, page string, status billing.RefundStatus, nth int) {
	t.Helper()
	shown, err := s.Sandbox.Show(t.Context(), path.Base(page))
	if err != nil {
		t.Fatal(err)
	}
	sale := shown.Sale
	paid := sale.Facts[slices.IndexFunc(sale.Facts, func(f billing.Fact) bool { return f.Payment != nil })]
	at := paid.At.Add(time.Second)
	if status == billing.RefundFailed {
		at = at.Add(time.Second)
	}
	sale.Facts = []billing.Fact{{CheckoutID: paid.CheckoutID, ID: "rfd_" + paid.ID, At: at, Refund: &billing.RefundFact{
		Status: status, PaymentID: paid.ID, Amount: paid.Payment.Amount,
	}}}
	sale.HookCount += 100 + nth
	body, signature, err := s.Sandbox.Hook(&sale, string(status), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if got := post(s.Service, "sandbox", signature, body); got != http.StatusOK {
		t.Fatalf("a hook: %d", got)
	}
	s.Settle()
}
