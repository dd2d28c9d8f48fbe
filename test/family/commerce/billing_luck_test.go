package commerce_test

import (
	"context"
	"errors"
	"path"
	"testing"
	"time"

	"gatehouse.internal/adapters/payment/sandbox"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound/commerce"
	"gatehouse.internal/test/harness"
)

// Amounts are whole numbers of the smallest unit, whatever the currency calls that.
func TestCurrenciesOfOtherExponents(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		for currency, shown := range map[string]string{"JPY": "500 JPY", "KWD": "0.500 KWD"} {
			price := s.price(P{"currency": currency, "unit_amount": 500})
			id, page := s.begin(s.buyer, P{"price_id": price})
			if sale, err := s.Sandbox.Show(t.Context(), path.Base(page)); err != nil || sale.Amount != shown {
				t.Errorf("the page asks for %q, want %q: %v", sale.Amount, shown, err)
			}
			s.Act(page, "pay")
			if got := s.checkout(id); got.String("license.status") != "active" {
				t.Errorf("paid in %s: %v", currency, got.Data)
			}
			paid := s.seller.Do("BILLING.PAYMENT_LIST", nil).OK().List("items")[0]
			if paid["amount"] != 500.0 || paid["currency"] != currency {
				t.Errorf("the payment is %v", paid)
			}
			s.seller.Do("BILLING.REFUND", P{"payment_id": paid["id"], "amount": 501}).Fails(fault.Validation).Field("/amount")
			s.seller.Do("BILLING.REFUND", P{"payment_id": paid["id"], "amount": 1}).OK()
		}
		s.seller.Do("BILLING.COUPON_CREATE", P{"code": "yen", "amount_off": 100, "currency": "JPY"}).OK()
		s.buyer.Do("BILLING.CHECKOUT_CREATE", P{"price_id": s.once, "coupon": "yen", "success_url": done}).Fails(fault.Validation).Field("/coupon")
	})
}

type selling = commerce.Selling

// slow is a processor that waits to be asked to complete a sale, and fails the first time.
type slow struct {
	commerce.Processor
	selling

	shop  *shop
	page  string
	calls *int
}

func (p slow) Selling() commerce.Selling { return p }

func (p slow) Complete(ctx context.Context, order commerce.CheckoutOrder, key string) ([]billing.Fact, error) {
	*p.calls++
	if *p.calls == 1 {
		return nil, errors.New("no answer")
	}
	if key != order.Checkout.CheckoutID.String() {
		return nil, billing.ErrRefused
	}
	if err := p.shop.Sandbox.Act(ctx, p.page, "pay"); err != nil && !errors.Is(err, sandbox.ErrHookLost) {
		return nil, err
	}
	return p.Fetch(ctx, p.page)
}

// What the buyer agreed to is completed once, also after a call of which nothing is known,
// and however often the processor tells that it may be.
func TestASaleIsCompletedOnce(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		id, page := s.begin(s.buyer, P{"price_id": s.once})
		calls := 0
		before := s.Payments.Processors[0]
		s.Payments.Processors[0] = slow{before, before.Selling(), s, path.Base(page), &calls}
		shown, err := s.Sandbox.Show(t.Context(), path.Base(page))
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			sale := shown.Sale
			sale.HookCount = 100 + n
			sale.Facts[0].Checkout.Agreed, sale.Facts[0].At = true, s.Clock.Now().Add(time.Duration(n)*time.Millisecond)
			body, signature, err := s.Sandbox.Hook(&sale, "agree", time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			post(s.Service, "sandbox", signature, body)
		}
		s.Settle()
		if got := s.checkout(id); calls != 1 || got.String("checkout.status") != "open" || got.Data["license"] != nil {
			t.Errorf("after %d calls that failed: %v", calls, got.Data)
		}
		s.Clock.Advance(time.Minute)
		s.Settle()
		if got := s.checkout(id); calls != 2 || got.String("checkout.status") != "completed" || got.String("license.status") != "active" {
			t.Errorf("after %d calls: %v", calls, got.Data)
		}
		s.Clock.Advance(time.Hour)
		s.Settle()
		s.later(0)
		if n := len(s.seller.Do("BILLING.PAYMENT_LIST", nil).OK().List("items")); n != 1 || calls != 2 {
			t.Errorf("%d payments after %d calls, want 1 after 2", n, calls)
		}
	})
}

// In production, who may sell is said by the setting billing_sellers, and else those sell
// whom superadmins own.
func TestWhoMaySell(t *testing.T) {
	t.Parallel()
	h := harness.InProduction(t, harness.SQLite(t), "STRIPE_SECRET_KEY=sk_test_value", "STRIPE_WEBHOOK_SECRET=whsec_value",
		"BILLING_RETURN_URLS=https://shop.example/done", "ENABLE_PUBLIC_REGISTRATION=true")
	stripe := h.Payments.Processors[0]
	h.Payments.Processors[0] = refusing{stripe, stripe.Selling()}
	root, seller := h.Superadmin(), h.SignUp("seller@example.com")
	sells := func(who *harness.Actor, slug string) *harness.Reply {
		who.Do("PRODUCT.CREATE", P{"name": slug, "slug": slug, "public": true, "processor": "stripe"})
		if prices := who.Do("BILLING.PRICE_LIST", P{"product_id": slug}).OK().List("items"); len(prices) == 0 {
			made := who.Do("BILLING.PRICE_CREATE", P{"product_id": slug, "currency": "EUR", "unit_amount": 1900})
			if made.Failure != nil {
				return made
			}
		}
		return seller.Do("BILLING.CHECKOUT_CREATE", P{"product_id": slug, "success_url": "https://shop.example/done"})
	}
	sells(seller, "theirs").Fails(fault.Denied)
	sells(root, "own").Fails(fault.Validation) // the processor was asked, and refused
	root.Do("SETTINGS.SET", P{"values": P{"billing_sellers": []string{seller.OrgID}}}).OK()
	sells(seller, "theirs").Fails(fault.Validation)
	sells(root, "own").Fails(fault.Denied)
}

// refusing is a processor that makes nothing.
type refusing struct {
	commerce.Processor
	selling
}

func (p refusing) Selling() commerce.Selling { return p }

func (refusing) EnsurePrice(context.Context, commerce.PriceOrder, string) (string, error) {
	return "", billing.ErrRefused
}

// A refund and a cancellation whose call was cut are made again under the same key: once.
func TestRefundsAndCancellationsThatWereCut(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		store := s.Sandbox.Store
		cut := func(does bool, call func()) {
			s.Sandbox.Store = &broken{store, does}
			call()
			s.Sandbox.Store = store
			s.Clock.Advance(2 * billing.Lease)
			s.Settle()
		}
		for _, does := range []bool{false, true} {
			id, page := s.begin(s.buyer, P{"price_id": s.monthly})
			s.Act(page, "pay")
			sub := s.checkout(id).String("subscription.id")
			paid := s.seller.Do("BILLING.PAYMENT_LIST", nil).OK().List("items")[0]["id"]
			cut(does, func() { s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 1500}).Fails(fault.Internal) })
			s.seller.Do("BILLING.REFUND", P{"payment_id": paid, "amount": 500}).Fails(fault.Validation).Field("/amount")
			cut(does, func() {
				s.buyer.Do("BILLING.SUBSCRIPTION_CANCEL", P{"subscription_id": sub, "at_period_end": false}).Fails(fault.Internal)
			})
			if got := s.checkout(id); got.String("subscription.status") != "ended" || s.validity(got) != "revoked" {
				t.Errorf("after a cancellation that was cut: %v", got.Data)
			}
		}
		for _, one := range s.seller.Do("BILLING.REFUND_LIST", nil).OK().List("items") {
			if one["status"] != "succeeded" || one["amount"] != 1500.0 {
				t.Errorf("a refund is %v", one)
			}
		}
	})
}
