package commerce_test

import (
	"context"
	"path"
	"testing"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound/commerce"
	"gatehouse.internal/test/harness"
)

// facts are those that the sandbox has of the sale of a page, a second from now.
func (s *shop) facts(t *testing.T, page string) (all []billing.Fact) {
	t.Helper()
	shown, err := s.Sandbox.Show(t.Context(), path.Base(page))
	if err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(time.Second)
	for _, f := range shown.Facts {
		f.At = s.Clock.Now()
		all = append(all, f)
	}
	return all
}

// tell has the sandbox tell facts of the sale of a page, by a hook that is signed.
func (s *shop) tell(t *testing.T, page string, facts ...billing.Fact) {
	t.Helper()
	s.hooks++
	shown, err := s.Sandbox.Show(t.Context(), path.Base(page))
	if err != nil {
		t.Fatal(err)
	}
	sale := shown.Sale
	sale.HookCount, sale.Facts = 1000+s.hooks, facts
	body, signature, err := s.Sandbox.Hook(&sale, "tell", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	post(s.Service, "sandbox", signature, body)
	s.Settle()
}

// failed lists why what the processor told was not applied, as the seller sees it.
func (s *shop) failed() (reasons []any) {
	for _, one := range s.seller.Do("BILLING.PROCESSOR_EVENT_LIST", P{"status": "failed"}).OK().List("items") {
		reasons = append(reasons, one["reason"])
	}
	return reasons
}

// What is known to be of one sale is never taken for another's, and a sale has one page and one
// subscription: a processor that tells otherwise is not believed, and it is shown.
func TestFactsOfOtherSales(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		other := s.SignUp("other@example.com")
		theirs, page := s.begin(other, P{"price_id": s.monthly})
		s.Act(page, "pay")
		s.Act(page, "refund")
		id, own := s.begin(s.buyer, P{"price_id": s.monthly})
		before := other.Do("BILLING.CHECKOUT_GET", P{"checkout_id": theirs}).OK()
		reported := 0
		for _, f := range s.facts(t, page)[1:] {
			f.CheckoutID = billing.CheckoutID(id)
			switch {
			case f.Subscription != nil:
				f.Subscription.Status = billing.Ended
			case f.Invoice != nil:
				f.Invoice.Status = billing.InvoiceVoid
			case f.Payment != nil:
				f.Payment.Dispute = billing.DisputeOpen
			case f.Refund != nil:
				f.Refund.Status = billing.RefundFailed
			}
			s.tell(t, own, f)
			reported++
		}
		if reasons := s.failed(); reported != 4 || len(reasons) != reported || reasons[0] != billing.ErrLie.Message {
			t.Errorf("%d facts of another sale were told, and fail by %v", reported, reasons)
		}
		if got := s.checkout(id); got.Data["subscription"] != nil || got.Data["license"] != nil {
			t.Errorf("facts of another sale make %v", got.Data)
		}
		after := other.Do("BILLING.CHECKOUT_GET", P{"checkout_id": theirs}).OK()
		if after.String("subscription.status") != before.String("subscription.status") || after.String("license.status") != "active" {
			t.Errorf("the other sale is %v", after.Data)
		}
		paid, void := s.seller.Do("BILLING.PAYMENT_LIST", P{"disputed": true}).OK(), other.Do("BILLING.INVOICE_LIST", P{"status": "void"}).OK()
		if len(paid.List("items"))+len(void.List("items"))+len(s.seller.Do("BILLING.REFUND_LIST", P{"status": "failed"}).OK().List("items")) != 0 {
			t.Errorf("of the other sale it is told: %v, %v", paid.Data, void.Data)
		}
		for _, f := range s.facts(t, page)[:2] {
			f.ID = "another"
			if f.Subscription != nil {
				f.Subscription.Status = billing.Ended
			}
			s.tell(t, page, f)
		}
		got := other.Do("BILLING.CHECKOUT_GET", P{"checkout_id": theirs}).OK()
		if got.String("subscription.status") != "active" || len(s.failed()) != reported+2 {
			t.Errorf("another subscription of the sale makes it %v; failed: %v", got.Data, s.failed())
		}
	})
}

type changing = commerce.Changing

// confused is a processor that answers about one sale whatever it is asked about.
type confused struct {
	commerce.Processor
	selling
	changing

	about string
	ended billing.Fact
}

func (p confused) Selling() commerce.Selling { return p }

func (p confused) Changing() commerce.Changing { return p }

func (p confused) Fetch(ctx context.Context, _ string) ([]billing.Fact, error) {
	return p.selling.Fetch(ctx, p.about)
}

func (p confused) CancelSubscription(context.Context, string, bool, string) (billing.Fact, error) {
	return p.ended, nil
}

// Where the processor answers about the sale of somebody else, who did not pay is given nothing,
// and the other keeps what they bought.
func TestAnswersAboutOtherSales(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		other := s.SignUp("other@example.com")
		theirs, page := s.begin(other, P{"price_id": s.monthly})
		s.Act(page, "pay")
		own, paid := s.begin(s.buyer, P{"price_id": s.monthly})
		s.Act(paid, "pay")
		id, _ := s.begin(s.buyer, P{"price_id": s.monthly, "quantity": 1, "cancel_url": done})
		var ended billing.Fact
		for _, f := range s.facts(t, page) {
			if f.Subscription != nil {
				f.Subscription.Status, ended = billing.Ended, f
			}
		}
		right := s.Payments.Processors[0]
		s.Payments.Processors[0] = confused{right, right.Selling(), right.Changing(), path.Base(page), ended}
		customer := s.buyer.Do("BILLING.CUSTOMER_GET", nil).OK().String("customer.id")
		s.seller.Do("BILLING.SYNC", P{"customer_id": customer}).Fails(fault.Validation)
		if got := s.checkout(id); got.String("checkout.status") != "open" || got.Data["license"] != nil {
			t.Errorf("what somebody else paid gives %v", got.Data)
		}
		sub := s.checkout(own).String("subscription.id")
		s.buyer.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub, "at_period_end": false}).Fails(fault.Validation)
		got := other.Do("BILLING.CHECKOUT_GET", P{"checkout_id": theirs}).OK()
		if got.String("subscription.status") != "active" || got.String("license.status") != "active" {
			t.Errorf("somebody cancels, and the subscription of another is %v", got.Data)
		}
		s.Payments.Processors[0] = right
		s.Clock.Advance(2 * billing.Lease)
		s.Settle()
		s.later(0)
		if got := s.checkout(own); got.String("subscription.status") != "ended" {
			t.Errorf("once it answers rightly: %v", got.Data)
		}
	})
}

// What was given is held once it turns out that it was not paid.
func TestPaymentsThatFailAfterAll(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		for _, price := range []string{s.once, s.monthly} {
			id, page := s.begin(s.buyer, P{"price_id": price})
			s.Act(page, "pay")
			for _, status := range []billing.PaymentStatus{billing.PaymentFailed, billing.PaymentSucceeded} {
				want, sub := "active", billing.Active
				if status == billing.PaymentFailed {
					want, sub = "suspended", billing.Incomplete
				}
				for _, f := range s.facts(t, page) {
					switch {
					case f.Subscription != nil:
						f.Subscription.Status = sub
						s.tell(t, page, f)
					case f.Payment != nil:
						f.Payment.Status = status
						s.tell(t, page, f)
					}
				}
				if got := s.validity(s.checkout(id)); got != want {
					t.Errorf("a payment that %s: what was bought is %s, want %s", status, got, want)
				}
			}
		}
	})
}

// Who began to buy before the price was given another name at the processor has bought it; and
// what a price is called there says nothing of the prices of others that are called alike.
func TestNamesOfPricesAtTheProcessor(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		id, page := s.begin(s.buyer, P{"price_id": s.once})
		for _, name := range []string{"price_new", "price_newer"} {
			s.seller.Do("BILLING.PRICE_UPDATE", P{"price_id": s.once, "processor_price_id": name}).OK()
			s.begin(s.SignUp(name+"@example.com"), P{"price_id": s.once})
		}
		s.Act(page, "pay")
		if got := s.checkout(id); got.String("license.status") != "active" {
			t.Errorf("paid by the name before: %v", got.Data)
		}
		second := s.price(P{"interval": "month", "unit_amount": 2900, "processor_price_id": "price_second"})
		sub, paid := s.begin(s.buyer, P{"price_id": s.monthly})
		s.Act(paid, "pay")
		rival := s.SignUp("rival@example.com")
		thing := rival.Do("PRODUCT.CREATE", P{"name": "Thing", "slug": "thing", "public": true}).OK().String("product.id")
		alike := rival.Do("BILLING.PRICE_CREATE", P{
			"product_id": thing, "currency": "EUR", "interval": "month", "unit_amount": 1, "processor_price_id": "price_second",
		}).OK().String("price.id")
		s.begin(rival, P{"price_id": alike})
		got := s.buyer.Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": s.checkout(sub).String("subscription.id"), "price_id": second}).OK()
		if got.String("subscription.price_id") != second {
			t.Errorf("moved to %s the subscription goes by %s; another seller's is %s", second, got.String("subscription.price_id"), alike)
		}
	})
}

// A subscription of which a payment was taken back for good gives nothing, and charges nothing
// more.
func TestLostDisputesEndSubscriptions(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		id, page := s.begin(s.buyer, P{"price_id": s.monthly})
		for _, act := range []string{"pay", "dispute", "lose"} {
			s.Act(page, act)
		}
		if got := s.checkout(id); s.validity(got) != "revoked" || got.String("subscription.status") != "ended" {
			t.Errorf("after a dispute that was lost: %v", got.Data)
		}
		for _, f := range s.facts(t, page) {
			if f.Subscription != nil && f.Subscription.Status != billing.Ended {
				t.Errorf("at the processor it is %s", f.Subscription.Status)
			}
		}
	})
}

// A workspace is there as long as somebody buys of it: else who bought would be charged on, and
// could not even cancel.
func TestSellersStayWhileTheySell(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		made := s.seller.Do("TEAM.CREATE", P{"name": "Shop", "slug": "shop"}).OK().String("organization.id")
		team := func() *harness.Actor {
			return s.With(s.seller.Do("TEAM.SWITCH", P{"org_id": made}).OK().String("access_token"))
		}
		bought := func(seller *harness.Actor, slug string) (sub string) {
			sold := seller.Do("PRODUCT.CREATE", P{"name": slug, "slug": slug, "public": true}).OK().String("product.id")
			price := seller.Do("BILLING.PRICE_CREATE", P{"product_id": sold, "currency": "EUR", "interval": "month", "unit_amount": 100}).OK().String("price.id")
			id, page := s.begin(s.buyer, P{"price_id": price})
			s.Act(page, "pay")
			s.begin(s.buyer, P{"price_id": price})
			return s.checkout(id).String("subscription.id")
		}
		personal := bought(s.seller, "chair")
		within := team()
		shared := bought(within, "bench")
		gone := P{"org_id": made, "confirm_slug": "shop"}
		within.Do("TEAM.DELETE", gone).Fails(fault.Validation)
		for _, sub := range []string{personal, shared} {
			s.buyer.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub, "at_period_end": false}).OK()
		}
		within.Do("TEAM.DELETE", gone).Fails(fault.Validation) // a page is open
		s.later(2)
		team().Do("TEAM.DELETE", gone).OK()
		s.later(0)
		another, _ := s.begin(s.buyer, P{"price_id": s.monthly})
		s.seller.Do("USER.DELETE", P{"password": harness.Password}).Fails(fault.Validation)
		if got := s.checkout(another); got.String("checkout.status") != "open" {
			t.Errorf("of a seller who stays: %v", got.Data)
		}
		s.later(2)
		s.seller.Do("USER.DELETE", P{"password": harness.Password}).OK()
	})
}
