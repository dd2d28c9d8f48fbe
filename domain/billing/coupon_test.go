package billing_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
)

func coupon(change func(*billing.CouponSnapshot)) billing.CouponSnapshot {
	s := billing.CouponSnapshot{ID: "cpn_1", OrgID: "org_1", Code: "spring-25", Discount: billing.Discount{PercentOff: 25, Duration: billing.ForOnce}}
	if change != nil {
		change(&s)
	}
	return s
}

func made(t *testing.T, change func(*billing.CouponSnapshot)) *billing.Coupon {
	t.Helper()
	c, err := billing.MakeCoupon(coupon(change), noon)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCouponsThatDoNotHoldTogether(t *testing.T) {
	t.Parallel()
	for path, drafts := range map[string][]func(*billing.CouponSnapshot){
		"/percent_off": {
			func(s *billing.CouponSnapshot) { s.Discount.PercentOff = 0 },
			func(s *billing.CouponSnapshot) { s.Discount.AmountOff = money.Of(5, "EUR") },
		},
		"/currency": {
			func(s *billing.CouponSnapshot) { s.Discount.PercentOff, s.Discount.AmountOff = 0, money.Of(5, "") },
			func(s *billing.CouponSnapshot) { s.Discount.PercentOff, s.Discount.AmountOff = 0, money.Of(5, "ZZZ") },
			func(s *billing.CouponSnapshot) { s.Discount.AmountOff = money.Of(0, "EUR") },
			func(s *billing.CouponSnapshot) { s.Discount.AmountOff = money.Of(0, "ZZZ") },
		},
		"/months": {
			func(s *billing.CouponSnapshot) { s.Discount.Duration = billing.Repeating },
			func(s *billing.CouponSnapshot) { s.Discount.Months = 3 },
		},
		"/expires_at": {func(s *billing.CouponSnapshot) { s.ExpiresAt = noon }},
	} {
		for i, draft := range drafts {
			_, err := billing.MakeCoupon(coupon(draft), noon)
			if err == nil || fault.From(err).Code != fault.Validation || fault.From(err).Fields[0].Path != path {
				t.Errorf("%s, draft %d: %v", path, i, err)
			}
		}
	}
}

func TestRedemption(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		coupon func(*billing.CouponSnapshot)
		price  func(*billing.PriceSnapshot)
		at     time.Duration
		want   error
	}{
		"any product":            {nil, nil, 0, nil},
		"this product":           {func(s *billing.CouponSnapshot) { s.Products = []product.ID{"prd_0", "prd_1"} }, nil, 0, nil},
		"another product":        {func(s *billing.CouponSnapshot) { s.Products = []product.ID{"prd_0"} }, nil, 0, billing.ErrCouponOver},
		"another workspace":      {nil, func(s *billing.PriceSnapshot) { s.OrgID = "org_2" }, 0, billing.ErrCouponOver},
		"before its end":         {func(s *billing.CouponSnapshot) { s.ExpiresAt = noon.Add(time.Hour) }, nil, time.Hour - 1, nil},
		"at its end":             {func(s *billing.CouponSnapshot) { s.ExpiresAt = noon.Add(time.Hour) }, nil, time.Hour, billing.ErrCouponOver},
		"an amount":              {func(s *billing.CouponSnapshot) { s.Discount = billing.Discount{AmountOff: money.Of(5, "EUR")} }, nil, 0, nil},
		"an amount of another":   {func(s *billing.CouponSnapshot) { s.Discount = billing.Discount{AmountOff: money.Of(5, "USD")} }, nil, 0, billing.ErrCouponOver},
		"a share of any of them": {nil, func(s *billing.PriceSnapshot) { s.Unit.Currency = "USD" }, 0, nil},
	} {
		if err := made(t, c.coupon).Redeem(price(c.price), noon.Add(c.at)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestTheLastPlace(t *testing.T) {
	t.Parallel()
	c := made(t, func(s *billing.CouponSnapshot) { s.MaxRedemptions = 2 })
	for i, want := range []error{nil, nil, billing.ErrCouponOver} {
		if err := c.Redeem(price(nil), noon); !errors.Is(err, want) {
			t.Errorf("redemption %d: %v, want %v", i+1, err, want)
		}
	}
	c.Release()
	if err := c.Redeem(price(nil), noon); err != nil {
		t.Errorf("a place that was given back: %v", err)
	}
	if !c.End(noon) || c.End(noon) {
		t.Error("a coupon ends once")
	}
	c.Release()
	if err := c.Redeem(price(nil), noon); !errors.Is(err, billing.ErrCouponOver) {
		t.Errorf("a coupon that ended: %v", err)
	}
}

func TestDiscounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		discount billing.Discount
		of, want money.Amount
		err      error
	}{
		{billing.Discount{PercentOff: 25}, money.Of(1999, "EUR"), money.Of(500, "EUR"), nil},
		{billing.Discount{PercentOff: 100}, money.Of(1999, "JPY"), money.Of(1999, "JPY"), nil},
		{billing.Discount{AmountOff: money.Of(500, "EUR")}, money.Of(1999, "EUR"), money.Of(500, "EUR"), nil},
		{billing.Discount{AmountOff: money.Of(5000, "EUR")}, money.Of(1999, "EUR"), money.Of(1999, "EUR"), nil},
		{billing.Discount{AmountOff: money.Of(500, "EUR")}, money.Of(1999, "USD"), money.Amount{}, money.ErrCurrencies},
	} {
		if got, err := c.discount.Off(c.of); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%+v takes %v off %v, %v; want %v", c.discount, got, c.of, err, c.want)
		}
	}
}
