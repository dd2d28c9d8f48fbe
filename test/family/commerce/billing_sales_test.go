package commerce_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// shop is a seller with a public product, and somebody who buys.
type shop struct {
	*harness.Service

	seller, buyer          *harness.Actor
	product, monthly, once string
	// hooks counts those of the tests' own.
	hooks int
}

const done = "http://localhost:3000/done"

func open(t *testing.T, database string, variables ...string) *shop {
	t.Helper()
	h := harness.On(t, database, variables...)
	s := &shop{Service: h, seller: h.SignUp("seller@example.com"), buyer: h.SignUp("buyer@example.com")}
	s.product = s.seller.Do("PRODUCT.CREATE", P{"name": "Table", "slug": "table", "public": true}).OK().String("product.id")
	s.monthly = s.price(P{"interval": "month", "model": "per_seat", "unit_amount": 1900})
	s.once = s.price(P{"unit_amount": 5000})
	return s
}

func (s *shop) price(params P) string {
	call := P{"product_id": s.product, "currency": "EUR"}
	for name, value := range params {
		call[name] = value
	}
	return s.seller.Do("BILLING.PRICE_CREATE", call).OK().String("price.id")
}

// begin begins to buy, and returns the checkout and its page.
func (s *shop) begin(who *harness.Actor, params P) (id, page string) {
	call := P{"success_url": done}
	for name, value := range params {
		call[name] = value
	}
	made := who.Do("BILLING.CHECKOUT_CREATE", call).OK()
	return made.String("checkout.id"), made.String("checkout.url")
}

func (s *shop) checkout(id string) *harness.Reply {
	return s.buyer.Do("BILLING.CHECKOUT_GET", P{"checkout_id": id}).OK()
}

// later moves on by days, after which everybody signs in again.
func (s *shop) later(days int) {
	s.Clock.Advance(time.Duration(days) * 24 * time.Hour)
	s.seller, s.buyer = s.Login("seller@example.com", harness.Password), s.Login("buyer@example.com", harness.Password)
}

func (s *shop) validity(of *harness.Reply) string {
	return s.buyer.Do("LICENSE.GET", P{"license_id": of.String("license.id")}).OK().String("license.status")
}

// Nothing is given before it is paid; then subscription, license and invoice are there at
// once, and go on or end with what the processor tells.
func TestASubscriptionFromEndToEnd(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		id, page := s.begin(s.buyer, P{"price_id": s.monthly, "quantity": 3})
		if again, _ := s.begin(s.buyer, P{"price_id": s.monthly, "quantity": 3}); again != id {
			t.Errorf("the same is bought by %s, and by %s", id, again)
		}
		if other, _ := s.begin(s.buyer, P{"price_id": s.monthly, "quantity": 2}); other == id {
			t.Error("another quantity is bought by the same checkout")
		}
		if got := s.checkout(id); got.String("checkout.status") != "open" || got.Data["license"] != nil || got.Int("checkout.subtotal") != 5700 {
			t.Errorf("before the payment: %v", got.Data)
		}
		s.Act(page, "fail")
		if got := s.checkout(id); got.Data["license"] != nil || len(s.Events("invoice.payment_failed")) != 1 {
			t.Errorf("after a payment that failed: %v", got.Data)
		}
		s.Act(page, "pay")
		got := s.checkout(id)
		if got.String("checkout.status") != "completed" || got.String("subscription.status") != "active" || got.String("license.status") != "active" {
			t.Fatalf("after the payment: %v", got.Data)
		}
		sub := got.String("subscription.id")
		listed := s.buyer.Do("BILLING.INVOICE_LIST", P{"subscription_id": sub, "status": "paid"}).OK().List("items")
		slug := s.seller.Do("TEAM.GET", nil).String("organization.slug")
		if len(listed) != 1 || listed[0]["total"] != 5700.0 || !strings.HasPrefix(listed[0]["number"].(string), slug+"-") {
			t.Errorf("invoices %v", listed)
		}
		shown := s.buyer.Do("BILLING.SUBSCRIPTION_GET", P{"subscription_id": sub}).OK()
		if shown.Int("upcoming.amount") != 5700 || shown.String("product.slug") != "table" {
			t.Errorf("the subscription %v", shown.Data)
		}
		s.later(31)
		s.Act(page, "fail-renewal")
		if got := s.checkout(id); got.String("subscription.status") != "past_due" || s.validity(got) != "active" {
			t.Errorf("while a payment is due: %v", got.Data)
		}
		s.later(7)
		if got := s.checkout(id); s.validity(got) == "active" {
			t.Errorf("after the days of grace: %v", got.Data)
		}
		s.Act(page, "pay-due")
		if got := s.checkout(id); got.String("subscription.status") != "active" || s.validity(got) != "active" {
			t.Errorf("once that is paid: %v", got.Data)
		}

		if got := s.buyer.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub, "reason": "dear"}).OK(); got.String("subscription.status") != "canceled" {
			t.Errorf("canceled: %v", got.Data)
		}
		s.buyer.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub}).Fails(fault.Validation)
		if s.validity(s.checkout(id)) != "active" {
			t.Error("a canceled subscription gives nothing until its period ends")
		}
		if got := s.buyer.Do("BILLING.SUBSCRIPTION_RESUME", P{"subscription_id": sub}).OK(); got.String("subscription.status") != "active" {
			t.Errorf("resumed: %v", got.Data)
		}
		s.buyer.Do("BILLING.SUBSCRIPTION_RESUME", P{"subscription_id": sub}).Fails(fault.Validation)
		s.Act(page, "dispute")
		if s.validity(s.checkout(id)) != "suspended" || len(s.seller.Do("BILLING.PAYMENT_LIST", P{"disputed": true}).OK().List("items")) != 1 {
			t.Error("a dispute holds nothing back")
		}
		s.Act(page, "win")
		if s.validity(s.checkout(id)) != "active" {
			t.Error("a dispute that was won goes on")
		}
		s.seller.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub, "at_period_end": false}).OK()
		if got := s.checkout(id); got.String("subscription.status") != "ended" || s.validity(got) != "revoked" {
			t.Errorf("ended: %v", got.Data)
		}
		if n := len(s.buyer.Do("BILLING.SUBSCRIPTION_LIST", nil).OK().List("items")); n != 0 {
			t.Errorf("%d subscriptions are active after the end", n)
		}
	})
}

// A trial costs nothing, and a customer has one of a product.
func TestTrials(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		tried := s.price(P{"interval": "month", "unit_amount": 1900, "trial_days": 14})
		s.buyer.Do("BILLING.CHECKOUT_CREATE", P{"price_id": tried, "success_url": done, "trial_days": 100}).Fails(fault.Denied)
		id, page := s.begin(s.buyer, P{"price_id": tried})
		s.Act(page, "pay")
		got := s.checkout(id)
		if got.String("subscription.status") != "trialing" || got.String("license.status") != "active" {
			t.Errorf("in the trial: %v", got.Data)
		}
		if n := len(s.seller.Do("BILLING.PAYMENT_LIST", nil).OK().List("items")); n != 0 {
			t.Errorf("%d payments in the trial", n)
		}
		s.later(14)
		s.Act(page, "fail-renewal")
		s.later(8)
		if s.validity(got) == "active" {
			t.Error("a trial that ended without a card goes on")
		}
		second, _ := s.begin(s.buyer, P{"price_id": tried})
		if got := s.checkout(second); got.Int("checkout.trial_days") != 0 {
			t.Errorf("a second trial: %v", got.Data)
		}
	})
}

// Money that goes back never exceeds what was paid, however many give it back at once; all of
// it takes what was bought once.
func TestRefunds(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		id, page := s.begin(s.buyer, P{"price_id": s.once})
		s.Act(page, "pay")
		got := s.checkout(id)
		paid := s.seller.Do("BILLING.PAYMENT_LIST", nil).OK().List("items")[0]["id"]
		s.buyer.Do("BILLING.REFUND", P{"payment_id": paid}).Fails(fault.NotFound)
		s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 5001}).Fails(fault.Validation).Field("/amount")
		s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": -1}).Fails(fault.Validation).Field("/amount")
		s.seller.Do("BILLING.REFUND", P{"amount": 1}).Fails(fault.Validation).Field("/payment_id")
		var under sync.WaitGroup
		for range 50 {
			under.Go(func() { s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 300}) })
		}
		under.Wait()
		sum := 0.0
		for _, one := range s.seller.Do("BILLING.REFUND_LIST", nil).OK().List("items") {
			if one["status"] != "succeeded" {
				t.Errorf("a refund is %v", one)
			}
			sum += one["amount"].(float64)
		}
		if sum != 4800 {
			t.Errorf("%v went back, want 4800", sum)
		}
		if s.validity(got) != "active" {
			t.Error("a part that went back takes all")
		}
		invoice := s.seller.Do("BILLING.INVOICE_LIST", P{"org_id": s.seller.OrgID}).OK().List("items")[0]["id"]
		s.seller.Do("BILLING.REFUND", P{"invoice_id": invoice}).OK()
		if s.validity(got) != "revoked" {
			t.Error("what was refunded wholly is still there")
		}
		s.seller.Do("BILLING.REFUND", P{"payment_id": paid}).Fails(fault.Validation)
		s.seller.Do("PRODUCT.DELETE", P{"product_id": s.product}).Fails(fault.Validation)
		s.seller.Do("PRODUCT.UPDATE", P{"product_id": s.product, "processor": "stripe"}).Fails(fault.Validation).Field("/processor")
	})
}

// The last place of a coupon goes to one of many.
func TestCouponsOfCheckouts(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		s.seller.Do("BILLING.COUPON_CREATE", P{"code": "half", "percent_off": 50, "max_redemptions": 1}).OK()
		buyers := []*harness.Actor{s.buyer}
		for i := range 5 {
			buyers = append(buyers, s.SignUp(fmt.Sprintf("buyer%d@example.com", i)))
		}
		var under sync.WaitGroup
		won := make(chan string, len(buyers))
		for _, who := range buyers {
			under.Go(func() {
				got := who.Do("BILLING.CHECKOUT_CREATE", P{"price_id": s.once, "coupon": "HALF", "success_url": done})
				if got.Failure == nil {
					won <- got.String("checkout.url")
				}
			})
		}
		under.Wait()
		close(won)
		if len(won) != 1 {
			t.Fatalf("%d hold the last place, want 1", len(won))
		}
		s.Act(<-won, "pay")
		if got := s.seller.Do("BILLING.PAYMENT_LIST", nil).OK().List("items")[0]["amount"]; got != 2500.0 {
			t.Errorf("%v was paid, want 2500", got)
		}
		s.buyer.Do("BILLING.CHECKOUT_CREATE", P{"price_id": s.once, "coupon": "none", "success_url": done}).Fails(fault.Validation).Field("/coupon")
	})
}

// Nobody sees sales of others, and buyers are sent back to registered addresses alone.
func TestWhoMayWhat(t *testing.T) {
	t.Parallel()
	h := open(t, harness.SQLite(t))
	id, page := h.begin(h.buyer, P{"price_id": h.monthly})
	h.Act(page, "pay")
	sub := h.checkout(id).String("subscription.id")
	stranger := h.SignUp("stranger@example.com")
	stranger.Do("BILLING.CHECKOUT_GET", P{"checkout_id": id}).Fails(fault.NotFound)
	stranger.Do("BILLING.SUBSCRIPTION_GET", P{"subscription_id": sub}).Fails(fault.NotFound)
	stranger.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub}).Fails(fault.NotFound)
	stranger.Do("BILLING.INVOICE_LIST", P{"subscription_id": sub}).Fails(fault.NotFound)
	stranger.Do("BILLING.SUBSCRIPTION_LIST", P{"org_id": h.seller.OrgID}).Fails(fault.NotFound)
	for _, list := range []string{"BILLING.SUBSCRIPTION_LIST", "BILLING.INVOICE_LIST"} {
		if n := len(stranger.Do(list, P{"org_id": stranger.OrgID}).OK().List("items")); n != 0 {
			t.Errorf("%s shows %d of others", list, n)
		}
		if n := len(h.seller.Do(list, P{"org_id": h.seller.OrgID}).OK().List("items")); n != 1 {
			t.Errorf("%s shows the seller %d, want 1", list, n)
		}
		if n := len(h.buyer.Do(list, nil).OK().List("items")); n != 1 {
			t.Errorf("%s shows the buyer %d, want 1", list, n)
		}
	}
	for _, address := range []string{"https://evil.example/", "javascript:alert(1)", "/done", "http://evil.example/"} {
		h.buyer.Do("BILLING.CHECKOUT_CREATE", P{"price_id": h.once, "success_url": address}).Fails(fault.Validation).Field("/success_url")
	}
	h.seller.Do("APP.REGISTER", P{"name": "Shop", "slug": "shop", "redirect_urls": []string{"https://shop.example/done"}}).OK()
	h.begin(h.buyer, P{"price_id": h.once, "success_url": "https://shop.example/done"})
	h.seller.Do("PRODUCT.UPDATE", P{"product_id": h.product, "public": false}).OK()
	h.buyer.Do("BILLING.CHECKOUT_CREATE", P{"price_id": h.once, "success_url": done}).Fails(fault.NotFound)
}
