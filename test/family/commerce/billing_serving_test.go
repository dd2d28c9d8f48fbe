package commerce_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// A customer is found by the address on invoices or by what they owe, and changes what
// invoices show.
func TestCustomersAreFoundAndChanged(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		_, page := s.begin(s.buyer, P{"price_id": s.monthly})
		s.Act(page, "pay")
		other := s.SignUp("other@example.com")
		s.begin(other, P{"price_id": s.once})
		id := s.buyer.Do("BILLING.CUSTOMER_GET", nil).OK().String("customer.id")
		for want, params := range map[int][]P{
			1: {{"query": "BUYER@example.com"}, {"limit": 1}},
			2: {nil, {"delinquent": false}},
			0: {{"query": "nobody@example.com"}, {"delinquent": true}},
		} {
			for _, p := range params {
				if got := s.seller.Do("BILLING.CUSTOMER_LIST", p).OK().List("items"); len(got) != want {
					t.Errorf("by %v there are %v, want %d", p, got, want)
				}
			}
		}
		address := P{"line1": "1 Main Street", "city": "Berlin", "postal_code": "10115", "country": "DE"}
		changed := s.buyer.Do("BILLING.CUSTOMER_UPDATE", P{"name": "Buyer Ltd", "email": "books@example.com", "address": address, "tax_id": "DE123"}).OK()
		if changed.String("customer.address.city") != "Berlin" || changed.String("customer.tax_id") != "DE123" || len(s.Events("customer.updated")) != 1 {
			t.Errorf("the customer is %v", changed.Data)
		}
		if got := s.buyer.Do("BILLING.CUSTOMER_UPDATE", P{"name": "Buyer Ltd"}).OK(); got.String("customer.email") != "books@example.com" ||
			len(s.Events("customer.updated")) != 1 {
			t.Errorf("changed to the same: %v", got.Data)
		}
		if got := ids(s.seller.Do("BILLING.CUSTOMER_LIST", P{"query": "books@example.com"}), "items", "id"); len(got) != 1 || got[0] != id {
			t.Errorf("by the new address there is %v", got)
		}
		other.Do("BILLING.CUSTOMER_UPDATE", P{"customer_id": id, "name": "x"}).Fails(fault.NotFound)
		s.seller.Do("BILLING.CUSTOMER_UPDATE", P{"customer_id": id, "address": P{"country": "Germany"}}).Fails(fault.Validation).Field("/address/country")
		s.seller.Do("BILLING.CUSTOMER_UPDATE", P{"customer_id": id, "name": "Corrected"}).OK()
		s.later(31)
		s.Act(page, "fail-renewal")
		if got := ids(s.seller.Do("BILLING.CUSTOMER_LIST", P{"delinquent": true}), "items", "id"); len(got) != 1 || got[0] != id {
			t.Errorf("delinquent: %v", got)
		}
	})
}

// The portal opens for those who bought something, and sends back to registered addresses.
func TestThePortal(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		s.buyer.Do("BILLING.PORTAL_CREATE", P{"return_url": done}).Fails(fault.NotFound)
		_, page := s.begin(s.buyer, P{"price_id": s.monthly})
		s.Act(page, "pay")
		made := s.buyer.Do("BILLING.PORTAL_CREATE", P{"return_url": done}).OK()
		if got := s.Browser().Open(made.String("url")); got.Status != http.StatusOK || len(s.Events("billing_portal.opened")) != 1 {
			t.Errorf("the portal answers %d", got.Status)
		}
		s.buyer.Do("BILLING.PORTAL_CREATE", P{"return_url": "https://evil.example/"}).Fails(fault.Validation).Field("/return_url")
		s.buyer.Do("BILLING.PORTAL_CREATE", P{"return_url": done, "org_id": s.buyer.OrgID}).Fails(fault.NotFound)
	})
}

// A plan is changed at the processor, charged by what the change says, and shown by what the
// processor answers.
func TestPlansAreChanged(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		id, page := s.begin(s.buyer, P{"price_id": s.monthly, "quantity": 2})
		s.Act(page, "pay")
		sub := s.checkout(id).String("subscription.id")
		big := s.price(P{"interval": "month", "unit_amount": 9900})
		s.seller.Do("BILLING.COUPON_CREATE", P{"code": "half", "percent_off": 50, "duration": "forever", "max_redemptions": 1}).OK()
		s.buyer.Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": sub}).Fails(fault.Validation).Field("/price_id")
		s.buyer.Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": sub, "price_id": s.once}).Fails(fault.Validation).Field("/price_id")
		s.buyer.Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": sub, "price_id": big, "quantity": 2}).Fails(fault.Validation).Field("/quantity")
		s.buyer.Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": sub, "coupon": "none"}).Fails(fault.Validation).Field("/coupon")
		s.SignUp("stranger@example.com").Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": sub, "quantity": 9}).Fails(fault.NotFound)

		got := s.buyer.Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": sub, "quantity": 5, "proration": "now"}).OK()
		if got.Int("subscription.quantity") != 5 || got.Int("preview.amount") != 9500 {
			t.Errorf("with more seats: %v", got.Data)
		}
		if n := len(s.buyer.Do("BILLING.INVOICE_LIST", nil).OK().List("items")); n != 2 {
			t.Errorf("%d invoices after a change that is charged now, want 2", n)
		}
		waived := P{"subscription_id": sub, "price_id": big, "coupon": "half", "proration": "none"}
		s.buyer.Do("BILLING.SUBSCRIPTION_UPDATE", waived).Fails(fault.Denied) // else they would never pay for it
		got = s.seller.Do("BILLING.SUBSCRIPTION_UPDATE", waived).OK()
		if got.String("subscription.price_id") != big || got.Int("subscription.quantity") != 1 {
			t.Errorf("by another price: %v", got.Data)
		}
		s.buyer.Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": sub, "coupon": "half"}).Fails(fault.Validation).Field("/coupon")
		s.later(31)
		s.Act(page, "renew")
		if newest := s.buyer.Do("BILLING.INVOICE_LIST", nil).OK().List("items")[0]; newest["total"] != 4950.0 {
			t.Errorf("renewed for %v, want 4950", newest["total"])
		}
		if got := s.buyer.Do("BILLING.SUBSCRIPTION_GET", P{"subscription_id": sub}).OK(); got.String("price.id") != big {
			t.Errorf("the price is %v", got.Data)
		}
		s.buyer.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub}).OK()
		s.buyer.Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": sub, "price_id": s.monthly}).Fails(fault.Validation)
	})
}

// What is used is counted once for each name, costs what the price says, and is charged by
// the processor when the period ends, however often that is told and asked.
func TestUsage(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		metered := s.price(P{"interval": "month", "model": "metered", "meter": "exports", "unit_amount": 25})
		id, page := s.begin(s.buyer, P{"price_id": metered})
		if got := s.checkout(id); got.Int("checkout.subtotal") != 0 {
			t.Errorf("a metered price costs %d at once", got.Int("checkout.subtotal"))
		}
		s.Act(page, "pay")
		sub := s.checkout(id).String("subscription.id")
		counter := s.seller.Machine("counter", "usage:write")
		use := func(quantity int, name string) *harness.Reply {
			return counter.Do("BILLING.USAGE_RECORD", P{"subscription_id": sub, "meter": "exports", "quantity": quantity, "event_id": name})
		}
		var under sync.WaitGroup
		for i := range 20 {
			under.Go(func() { use(3, fmt.Sprint("use-", i/2)).OK() })
		}
		under.Wait()
		if again := use(3, "use-1").OK(); again.Data["recorded"] != false || again.Int("period_total") != 30 || len(s.Events("usage.recorded")) != 10 {
			t.Errorf("a use that was counted before: %v, after %d", again.Data, len(s.Events("usage.recorded")))
		}
		for path, p := range map[string]P{
			"/meter":    {"meter": "imports"},
			"/at":       {"at": s.Clock.Now().Add(time.Hour)},
			"/quantity": {"quantity": 0},
		} {
			call := P{"subscription_id": sub, "meter": "exports", "quantity": 1}
			for name, value := range p {
				call[name] = value
			}
			counter.Do("BILLING.USAGE_RECORD", call).Fails(fault.Validation).Field(path)
		}
		shown := s.buyer.Do("BILLING.USAGE_GET", P{"subscription_id": sub}).OK()
		if items := shown.List("items"); len(items) != 1 || items[0]["quantity"] != 30.0 || items[0]["amount"] != 750.0 {
			t.Errorf("used: %v", shown.Data)
		}
		s.SignUp("stranger@example.com").Machine("foreign", "usage:write").Do("BILLING.USAGE_RECORD",
			P{"subscription_id": sub, "meter": "exports", "quantity": 1}).Fails(fault.NotFound)
		s.Clock.Advance(2 * time.Hour)
		s.later(0)
		s.Settle()
		s.Settle()
		counter = s.seller.Machine("another-counter", "usage:write")
		use(4, "late").OK()
		s.later(31)
		s.Settle()
		s.Act(page, "renew")
		if newest := s.buyer.Do("BILLING.INVOICE_LIST", nil).OK().List("items")[0]; newest["total"] != 850.0 {
			t.Errorf("charged %v, want 850", newest["total"])
		}
		if items := s.buyer.Do("BILLING.USAGE_GET", P{"subscription_id": sub}).OK().List("items"); len(items) != 0 {
			t.Errorf("in the new period: %v", items)
		}
	})
}
