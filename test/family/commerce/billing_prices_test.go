package commerce_test

import (
	"fmt"
	"sync"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

type P = harness.P

func ids(reply *harness.Reply, list, key string) (found []any) {
	for _, one := range reply.OK().List(list) {
		found = append(found, one[key])
	}
	return found
}

func TestPrices(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, buyer := h.SignUp("ada@example.com"), h.SignUp("buyer@example.com")
		table := ada.Do("PRODUCT.CREATE", P{"name": "Table", "slug": "table"}).OK().String("product.id")
		monthly := ada.Do("BILLING.PRICE_CREATE", P{
			"product_id": "table", "currency": "JPY", "unit_amount": 1900, "interval": "month", "model": "per_seat", "trial_days": 14, "processor_price_id": "price_1",
		}).OK()
		if monthly.Int("price.unit_amount") != 1900 || monthly.String("price.product_id") != table || monthly.String("price.interval") != "month" {
			t.Errorf("made %v", monthly.Data)
		}
		once := ada.Do("BILLING.PRICE_CREATE", P{"product_id": table, "currency": "KWD", "unit_amount": 1<<53 - 1}).OK()
		if once.String("price.interval") != "once" || once.String("price.model") != "flat" {
			t.Errorf("made %v", once.Data)
		}
		tiers := ada.Do("BILLING.PRICE_CREATE", P{
			"product_id": table, "currency": "EUR", "unit_amount": 0, "interval": "year", "model": "tiered",
			"tiers": []P{{"up_to": 10, "unit_amount": 500}, {"unit_amount": 400, "flat_amount": 100}},
		}).OK()
		for path, params := range map[string]P{
			"/unit_amount": {"unit_amount": -1}, "/currency": {"currency": "ZZZ"}, "/interval": {"trial_days": 3}, "/meter": {"model": "metered", "interval": "month"},
			"/tiers/0/unit_amount": {"model": "tiered", "tiers": []P{{"unit_amount": 1.5}}},
		} {
			call := P{"product_id": table, "currency": "EUR", "unit_amount": 5}
			for name, value := range params {
				call[name] = value
			}
			ada.Do("BILLING.PRICE_CREATE", call).Fails(fault.Validation).Field(path)
		}
		ada.Do("BILLING.PRICE_CREATE", P{"product_id": table, "currency": "EUR", "unit_amount": 1 << 53}).Fails(fault.Validation).Field("/unit_amount")
		ada.Do("BILLING.PRICE_CREATE", P{"product_id": table, "currency": "EUR", "unit_amount": 1.5}).Fails(fault.Validation).Field("/unit_amount")
		buyer.Do("BILLING.PRICE_CREATE", P{"product_id": table, "currency": "EUR", "unit_amount": 5}).Fails(fault.NotFound)

		buyer.Do("BILLING.PRICE_LIST", P{"product_id": table}).Fails(fault.NotFound)
		ada.Do("PRODUCT.UPDATE", P{"product_id": table, "public": true}).OK()
		ada.Do("BILLING.PRICE_UPDATE", P{"price_id": once.String("price.id"), "active": false, "nickname": "Launch"}).OK()
		ada.Do("BILLING.PRICE_UPDATE", P{"price_id": once.String("price.id"), "active": false}).OK()
		if n := len(h.Events("price.updated")); n != 1 {
			t.Errorf("%d changes are told, want 1", n)
		}
		buyer.Do("BILLING.PRICE_UPDATE", P{"price_id": once.String("price.id"), "active": true}).Fails(fault.NotFound)
		all := []any{tiers.String("price.id"), once.String("price.id"), monthly.String("price.id")}
		sold := []any{all[0], all[2]}
		for what, c := range map[string]struct {
			who    *harness.Actor
			params P
			want   []any
		}{
			"all of the workspace": {ada, nil, all},
			"all of the product":   {ada, P{"product_id": "table"}, all},
			"retired":              {ada, P{"active": false}, all[1:2]},
			"on sale":              {ada, P{"active": true}, sold},
			"for buyers":           {buyer, P{"product_id": table}, sold},
			"retired, for buyers":  {buyer, P{"product_id": table, "active": false}, nil},
			"the buyer's own":      {buyer, nil, nil},
		} {
			if got := ids(c.who.Do("BILLING.PRICE_LIST", c.params), "items", "id"); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s: %v, want %v", what, got, c.want)
			}
		}
		if got := fmt.Sprint(ids(buyer.Do("PRODUCT.GET", P{"product_id": table}), "prices", "id")); got != fmt.Sprint(sold) {
			t.Errorf("a buyer sees the prices %s of the product, want %v", got, sold)
		}
		if got := fmt.Sprint(ids(buyer.Do("PRODUCT.GET", P{"product_id": table}), "prices", "processor_price_id")); got != "[<nil> <nil>]" {
			t.Errorf("a buyer sees the prices %s at the processor", got)
		}
		if got := fmt.Sprint(ids(ada.Do("PRODUCT.GET", P{"product_id": table}), "prices", "processor_price_id")); got != "[<nil> price_1]" {
			t.Errorf("the seller sees the prices %s at the processor", got)
		}
	})
}

func TestCoupons(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, other := h.SignUp("ada@example.com"), h.SignUp("other@example.com")
		table := ada.Do("PRODUCT.CREATE", P{"name": "Table", "slug": "table"}).OK().String("product.id")
		made := ada.Do("BILLING.COUPON_CREATE", P{"code": "spring-25", "percent_off": 25, "product_ids": []string{"table"}, "max_redemptions": 3}).OK()
		if made.String("coupon.code") != "SPRING-25" || fmt.Sprint(made.Data["coupon"].(P)["product_ids"]) != fmt.Sprint([]any{table}) || made.Int("coupon.redemptions") != 0 {
			t.Errorf("made %v", made.Data)
		}
		ada.Do("BILLING.COUPON_CREATE", P{"code": "Spring-25", "percent_off": 5}).Fails(fault.Validation).Field("/code")
		ada.Do("BILLING.COUPON_CREATE", P{"code": "five", "amount_off": 500, "currency": "EUR", "duration": "repeating", "months": 3}).OK()
		ada.Do("BILLING.COUPON_CREATE", P{"code": "none"}).Fails(fault.Validation).Field("/percent_off")
		ada.Do("BILLING.COUPON_CREATE", P{"code": "past", "percent_off": 5, "expires_at": "2020-01-01T00:00:00Z"}).Fails(fault.Validation).Field("/expires_at")
		other.Do("BILLING.COUPON_CREATE", P{"code": "theirs", "percent_off": 5, "product_ids": []string{table}}).Fails(fault.NotFound)
		other.Do("BILLING.COUPON_CREATE", P{"code": "SPRING-25", "percent_off": 5}).OK()
		other.Do("BILLING.COUPON_DELETE", P{"code": "five"}).Fails(fault.NotFound)
		ada.Do("BILLING.COUPON_DELETE", P{"code": "spring-25"}).OK()
		ada.Do("BILLING.COUPON_DELETE", P{"code": "SPRING-25"}).Fails(fault.NotFound)
		ada.Do("BILLING.COUPON_CREATE", P{"code": "SPRING-25", "percent_off": 5}).Fails(fault.Validation).Field("/code")
		for want, params := range map[string]P{"[FIVE SPRING-25]": nil, "[FIVE]": {"active": true}, "[SPRING-25]": {"active": false}} {
			if got := fmt.Sprint(ids(ada.Do("BILLING.COUPON_LIST", params), "items", "code")); got != want {
				t.Errorf("%v lists %s, want %s", params, got, want)
			}
		}
	})
}

// Of many who make the same coupon at once, one does.
func TestCouponsAtOnce(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		var done sync.WaitGroup
		outcomes := make(chan bool, 10)
		for range cap(outcomes) {
			done.Go(func() { outcomes <- ada.Do("BILLING.COUPON_CREATE", P{"code": "one", "percent_off": 5}).Failure == nil })
		}
		done.Wait()
		close(outcomes)
		n := 0
		for made := range outcomes {
			if made {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d were made, want 1", n)
		}
	})
}
