package commerce_test

import (
	"fmt"
	"sync"
	"testing"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// A customer has one trial of a product, also by checkouts that are open at once.
func TestOneTrialOfAProduct(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		tried := s.price(P{"interval": "month", "unit_amount": 1900, "trial_days": 14})
		yearly := s.price(P{"interval": "year", "unit_amount": 19000, "trial_days": 14})
		s.begin(s.buyer, P{"price_id": s.once}) // they are a customer
		var under sync.WaitGroup
		for i := range 6 {
			price := []string{tried, yearly}[i%2]
			under.Go(func() {
				s.buyer.Do("BILLING.CHECKOUT_CREATE", P{"price_id": price, "success_url": fmt.Sprint(done, "/", i)}).OK()
			})
		}
		under.Wait()
		var trials, pages int
		if err := s.Store.Database().Read.Get(&trials, `SELECT COUNT(*) FROM checkouts WHERE trial_days > 0`); err != nil || trials != 1 {
			t.Errorf("%d checkouts have the trial, %v; want 1", trials, err)
		}
		if err := s.Store.Database().Read.Get(&pages, `SELECT COUNT(*) FROM checkouts`); err != nil || pages != 7 {
			t.Errorf("%d checkouts, %v; want 7", pages, err)
		}
		chair := s.seller.Do("PRODUCT.CREATE", P{"name": "Chair", "slug": "chair", "public": true}).OK().String("product.id")
		id, _ := s.begin(s.buyer, P{"price_id": s.price(P{"product_id": chair, "interval": "month", "unit_amount": 1900, "trial_days": 14})})
		if got := s.checkout(id); got.Int("checkout.trial_days") != 14 {
			t.Errorf("of another product: %v", got.Data)
		}
		who := s.SignUp("hesitant@example.com")
		first, _ := s.begin(who, P{"price_id": tried})
		if again, _ := s.begin(who, P{"price_id": tried}); again != first {
			t.Errorf("the same with its trial is %s, and then %s", first, again)
		}
		s.later(2)
		s.Settle() // the page has expired
		who = s.Login("hesitant@example.com", harness.Password)
		second, _ := s.begin(who, P{"price_id": yearly})
		if got := who.Do("BILLING.CHECKOUT_GET", P{"checkout_id": second}).OK(); got.Int("checkout.trial_days") != 14 {
			t.Errorf("after a page that expired: %v", got.Data)
		}
	})
}

// Nobody holds all places of a coupon by checkouts that they do not pay.
func TestCheckoutsThatAreNotPaid(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		s.seller.Do("BILLING.COUPON_CREATE", P{"code": "half", "percent_off": 50, "max_redemptions": billing.MostUnfinished + 1}).OK()
		order := func(quantity int) P {
			return P{"price_id": s.monthly, "quantity": quantity, "coupon": "half", "success_url": done}
		}
		for i := range billing.MostUnfinished {
			s.buyer.Do("BILLING.CHECKOUT_CREATE", order(i+1)).OK()
		}
		s.buyer.Do("BILLING.CHECKOUT_CREATE", order(1)).OK() // it is there
		s.buyer.Do("BILLING.CHECKOUT_CREATE", order(100)).Fails(fault.Validation)
		s.SignUp("other@example.com").Do("BILLING.CHECKOUT_CREATE", order(1)).OK()
		s.later(2)
		s.Settle()
		s.buyer.Do("BILLING.CHECKOUT_CREATE", order(100)).OK()
	})
}

// Of a product that is not shown to somebody they learn nothing, not even that it is there.
func TestProductsThatAreNotShown(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		s.seller.Do("PRODUCT.CREATE", P{"name": "Secret", "slug": "secret"}).OK()
		s.seller.Do("PRODUCT.UPDATE", P{"product_id": s.product, "public": false}).OK()
		for _, command := range []string{"BILLING.CHECKOUT_CREATE", "BILLING.PRICE_LIST", "BILLING.SUBSCRIPTION_LIST"} {
			var want string
			for _, product := range []string{"none", "secret", "table"} {
				call := P{"product_id": product}
				if command == "BILLING.CHECKOUT_CREATE" {
					call["success_url"] = done
				}
				got := s.buyer.Do(command, call)
				said := fmt.Sprint(got.Failure, got.Data)
				if want == "" {
					want = said
				}
				if said != want {
					t.Errorf("%s of %s: %s; of none: %s", command, product, said, want)
				}
			}
		}
	})
}

// A subscription is discounted once by a coupon: one that holds for an invoice would hold for
// each, if it could be entered again after each renewal.
func TestCouponsAreEnteredOnce(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		s := open(t, database)
		for _, code := range []string{"first", "second"} {
			s.seller.Do("BILLING.COUPON_CREATE", P{"code": code, "percent_off": 100, "duration": "once"}).OK()
		}
		id, page := s.begin(s.buyer, P{"price_id": s.monthly, "coupon": "first"})
		s.Act(page, "pay")
		enter := func(code string) *harness.Reply {
			s.later(31)
			s.Act(page, "renew")
			return s.buyer.Do("BILLING.SUBSCRIPTION_UPDATE", P{"subscription_id": s.checkout(id).String("subscription.id"), "coupon": code})
		}
		enter("first").Fails(fault.Validation).Field("/coupon")
		enter("second").OK()
		enter("Second").Fails(fault.Validation).Field("/coupon")
	})
}
