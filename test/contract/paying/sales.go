package paying

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func (s *Shop) checkout(id string) *harness.Reply {
	return s.buyer.Do("BILLING.CHECKOUT_GET", P{"checkout_id": id}).OK()
}

// expect fails the test where a sale is not as it should be.
func (s *Shop) expect(when, id string, want ...string) {
	s.t.Helper()
	got := s.checkout(id)
	var state []string
	for _, name := range []string{"checkout", "subscription", "license"} {
		if one, there := got.Data[name].(P); there && one["status"] != nil {
			state = append(state, one["status"].(string))
		}
	}
	if !slices.Equal(state, want) {
		s.t.Errorf("%s: %v, want %v", when, state, want)
	}
}

// aSubscription buys one, lets a renewal fail and pays it, cancels and resumes it, and lets
// it end.
func aSubscription(s *Shop) {
	id, page := s.begin(s.buyer, P{"price_id": s.monthly, "quantity": 3})
	s.expect("before the payment", id, "open")
	s.do(page, "pay")
	s.expect("after the payment", id, "completed", "active", "active")
	sub := s.checkout(id).String("subscription.id")
	bill := s.buyer.Do("BILLING.INVOICE_LIST", P{"subscription_id": sub, "status": "paid"}).OK().List("items")
	if len(bill) != 1 || bill[0]["total"] != 5700.0 || bill[0]["currency"] != "EUR" {
		s.t.Errorf("the invoices are %v", bill)
	}
	s.later(30)
	s.do(page, "fail-renewal")
	s.expect("while a payment is due", id, "completed", "past_due", "active")
	s.do(page, "pay-due")
	s.expect("once it is paid", id, "completed", "active", "active")
	s.buyer.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub}).OK()
	s.expect("canceled", id, "completed", "canceled", "active")
	s.Clock.Advance(time.Second)
	s.buyer.Do("BILLING.SUBSCRIPTION_RESUME", P{"subscription_id": sub}).OK()
	s.expect("resumed", id, "completed", "active", "active")
	s.Clock.Advance(time.Second)
	moreSeats(s, sub)
	s.learn(page, "dispute")
	s.expect("while a payment is disputed", id, "completed", "active", "suspended")
	s.learn(page, "win")
	s.expect("once that is decided for the seller", id, "completed", "active", "active")
	s.Clock.Advance(time.Second)
	s.seller.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub, "at_period_end": false}).OK()
	s.expect("ended", id, "completed", "ended", "revoked")
}

// moreSeats moves a subscription to five seats, without charging a difference where that is
// possible, and not at all where the processor cannot do that.
func moreSeats(s *Shop, sub string) {
	s.t.Helper()
	changed := s.seller.Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": sub, "quantity": 5, "proration": "none"})
	if !s.able(billing.CanWaive) {
		changed.Fails(fault.Validation)
		changed = s.buyer.Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": sub, "quantity": 5})
	}
	if !s.able(billing.CanChange) {
		if message := changed.Fails(fault.Validation).Failure.Message; !strings.Contains(message, string(billing.CanChange)) {
			s.t.Errorf("without %s: %s", billing.CanChange, message)
		}
		return
	}
	if changed.OK().Int("subscription.quantity") != 5 {
		s.t.Errorf("with more seats: %v", changed.Data)
	}
}

// aPurchase buys once, after an attempt that failed, and gives the money back in two parts.
func aPurchase(s *Shop) {
	id, page := s.begin(s.buyer, P{"price_id": s.single})
	if again, _ := s.begin(s.buyer, P{"price_id": s.single}); again != id {
		s.t.Errorf("the same is bought by %s, and by %s", id, again)
	}
	s.do(page, "fail")
	s.expect("after a payment that failed", id, "open")
	s.do(page, "pay")
	s.expect("after the payment", id, "completed", "active")
	paid := s.paid()
	part := s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 1500}).OK()
	if part.String("refund.status") == "failed" {
		s.t.Errorf("a part goes back: %v", part.Data)
	}
	s.receive()
	s.expect("after a part went back", id, "completed", "active")
	s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 3501}).Fails(fault.Validation)
	s.do(page, "refund")
	s.expect("after the rest went back", id, "completed", "revoked")
	var sum float64
	for _, one := range s.seller.Do("BILLING.REFUND_LIST", nil).OK().List("items") {
		if one["status"] == "succeeded" {
			sum += one["amount"].(float64)
		}
	}
	if sum != 5000 {
		s.t.Errorf("%v went back, want 5000", sum)
	}
}

// paid is the payment that succeeded last.
func (s *Shop) paid() string {
	s.t.Helper()
	for _, one := range s.seller.Do("BILLING.PAYMENT_LIST", nil).OK().List("items") {
		if one["status"] == "succeeded" {
			return one["id"].(string)
		}
	}
	s.t.Fatal("nothing was paid")
	return ""
}

// receive takes all that the processor told meanwhile.
func (s *Shop) receive() {
	s.Clock.Advance(time.Second)
	for _, hook := range s.Upstream.Hooks() {
		s.post(s.Name, hook)
	}
	s.Settle()
}

// learn does something at the processor, and takes what is told of it; what is not told, a
// BILLING.SYNC finds.
func (s *Shop) learn(page, name string) {
	s.t.Helper()
	hooks := s.act(page, name)
	s.tell(hooks)
	if len(hooks) == 0 {
		s.sync(s.buyer)
	}
}

// sync fetches the truth about what somebody bought.
func (s *Shop) sync(who *harness.Actor) {
	s.t.Helper()
	s.seller.Do("BILLING.SYNC", P{"customer_id": who.Do("BILLING.CUSTOMER_GET", nil).OK().String("customer.id")}).OK()
	s.Settle()
}

func (s *Shop) tell(hooks []Hook) {
	for _, hook := range hooks {
		s.post(s.Name, hook)
		s.Settle()
	}
}

// able reports whether the processor can do something.
func (s *Shop) able(what billing.Ability) bool {
	for _, one := range s.seller.Do("BILLING.PROCESSOR_LIST", nil).OK().List("items") {
		if one["processor"] == s.Name {
			return slices.Contains(one["abilities"].([]any), any(string(what)))
		}
	}
	s.t.Fatalf("%s is not listed", s.Name)
	return false
}

// trialsAndCoupons begins a subscription with a trial, and another with a coupon.
func trialsAndCoupons(s *Shop) {
	if s.able(billing.CanTry) {
		tried := s.price(P{"interval": "month", "unit_amount": 900, "trial_days": 14})
		id, page := s.begin(s.buyer, P{"price_id": tried})
		s.do(page, "pay")
		s.expect("in the trial", id, "completed", "trialing", "active")
		s.later(14)
		s.do(page, "fail-renewal")
		s.expect("after a trial that nobody pays", id, "completed", "past_due", "active")
		s.learn(page, "end")
		s.expect("after its end", id, "completed", "ended", "revoked")
	}
	if s.able(billing.CanDiscount) {
		s.seller.Do("BILLING.COUPON_CREATE", P{"code": "HALF", "percent_off": 50, "duration": "once", "max_redemptions": 1}).OK()
		other := s.SignUp("other@example.com")
		_, page := s.begin(other, P{"price_id": s.single, "coupon": "half"})
		s.do(page, "pay")
		bill := other.Do("BILLING.INVOICE_LIST", nil).OK().List("items")
		if len(bill) != 1 || bill[0]["total"] != 2500.0 {
			s.t.Errorf("with a coupon the invoices are %v", bill)
		}
		s.SignUp("third@example.com").Do("BILLING.CHECKOUT_CREATE", s.order(P{"price_id": s.single, "coupon": "half"})).Fails(fault.Validation)
	}
}

// abilities refuses what the processor cannot do, by its name.
func abilities(s *Shop) {
	for what, price := range map[billing.Ability]P{
		billing.CanTry: {"interval": "month", "unit_amount": 900, "trial_days": 14}, billing.CanSubscribe: {"interval": "month", "unit_amount": 900},
		billing.CanMeter: {"interval": "month", "model": "metered", "meter": "calls", "unit_amount": 1},
		billing.CanTier:  {"interval": "month", "model": "tiered", "unit_amount": 0, "tiers": []P{{"up_to": 5, "unit_amount": 100}, {"unit_amount": 50}}},
	} {
		made := s.buyer.Do("BILLING.CHECKOUT_CREATE", s.order(P{"price_id": s.price(price)}))
		switch {
		case s.able(what):
			made.OK()
		case !strings.Contains(made.Fails(fault.Validation).Failure.Message, string(what)):
			s.t.Errorf("without %s: %v", what, made.Failure)
		}
	}
}

// nothingPaid gives nothing to who comes back without having paid, and lets the page expire.
func nothingPaid(s *Shop) {
	if s.Name == "sandbox" {
		return // Its pages expire by themselves.
	}
	id, page := s.begin(s.buyer, P{"price_id": s.single})
	for _, address := range []string{Done, Done + "?checkout_id=" + id, page, "/account/billing", "/account/billing?checkout_id=" + id, "/pay/paddle?_ptxn=" + id} {
		s.Handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, address, http.NoBody))
		s.Settle()
		s.expect("after a visit to "+address, id, "open")
	}
	s.learn(page, "expire")
	s.expect("expired", id, "expired")
	if again, _ := s.begin(s.buyer, P{"price_id": s.single}); again == id {
		s.t.Error("an expired checkout is taken again")
	}
}

// serving opens the portal, passes an address on, and hands out the processor's own document
// of an invoice where it has one.
func serving(s *Shop) {
	_, page := s.begin(s.buyer, P{"price_id": s.monthly})
	s.do(page, "pay")
	if shown := s.buyer.Do("BILLING.CUSTOMER_GET", nil).OK().Data["portal"]; shown != s.able(billing.CanPortal) {
		s.t.Errorf("that there is a portal is %v", shown)
	}
	if s.able(billing.CanPortal) {
		if got := s.buyer.Do("BILLING.PORTAL_CREATE", P{"return_url": Done}).OK().String("url"); !strings.HasPrefix(got, "http") {
			s.t.Errorf("the portal is at %q", got)
		}
	}
	if remote, ok := s.Upstream.(Remote); ok && s.able(billing.CanAddress) {
		before := remote.Calls()
		s.buyer.Do("BILLING.CUSTOMER_UPDATE", P{"name": "Buyer Ltd", "address": P{"country": "DE"}}).OK()
		s.Clock.Advance(2 * billing.Lease)
		s.Settle()
		if remote.Calls() == before {
			s.t.Error("the processor is not told of another address")
		}
	}
	bill := s.buyer.Do("BILLING.INVOICE_LIST", nil).OK().List("items")[0]["id"]
	document, err := base64.StdEncoding.DecodeString(s.buyer.Do("BILLING.INVOICE_GET", P{"invoice_id": bill, "include_pdf": true}).OK().String("pdf"))
	if err != nil || !strings.HasPrefix(string(document), "%PDF") {
		s.t.Errorf("the document begins with %.20q, %v", document, err)
	}
	if theirs := len(document) < 100; theirs != s.able(billing.CanPDF) {
		s.t.Errorf("the document is the processor's: %t", theirs)
	}
}

// refundsAtOnce asks for many partial refunds at once: never more goes back than was paid.
func refundsAtOnce(s *Shop) {
	_, page := s.begin(s.buyer, P{"price_id": s.single})
	s.do(page, "pay")
	paid := s.paid()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 700}) })
	}
	all.Wait()
	s.receive()
	var sum float64
	for _, one := range s.seller.Do("BILLING.REFUND_LIST", nil).OK().List("items") {
		if one["status"] != "failed" {
			sum += one["amount"].(float64)
		}
	}
	if sum != 4900 {
		s.t.Errorf("%v went back in parts of 700, want 4900 of 5000", sum)
	}
	if remote, ok := s.Upstream.(Remote); ok {
		s.givenBack(remote, 4900)
	}
}

// givenBack expects the processor to give so much back, and no more, as time goes by: some take
// one refund of a payment at a time.
func (s *Shop) givenBack(at Remote, want int64) {
	s.t.Helper()
	const rounds = 12
	for range rounds {
		s.Clock.Advance(time.Hour)
		s.Settle()
		s.receive()
	}
	if back := at.Refunds(); back != want {
		s.t.Errorf("the processor gave %d back, want %d", back, want)
	}
}
