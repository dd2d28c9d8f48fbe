package billing_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// What was bought, or agreed to, is what was to be bought, or else it is refused; a page that
// is open may still say what it likes.
func TestMismatchedCheckoutsAreRefused(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	right := billing.CheckoutFact{Status: billing.CheckoutCompleted, PriceID: "remote", Quantity: 2, Subtotal: money.Of(1000, "EUR")}
	for name, c := range map[string]struct {
		lie  func(f *billing.CheckoutFact)
		want error
	}{
		"the truth":                     {func(*billing.CheckoutFact) {}, nil},
		"another price":                 {func(f *billing.CheckoutFact) { f.PriceID = "other" }, billing.ErrLie},
		"another quantity":              {func(f *billing.CheckoutFact) { f.Quantity = 1 }, billing.ErrLie},
		"another sum":                   {func(f *billing.CheckoutFact) { f.Subtotal.Minor = 1 }, billing.ErrLie},
		"another currency":              {func(f *billing.CheckoutFact) { f.Subtotal.Currency = "USD" }, billing.ErrLie},
		"agreed":                        {func(f *billing.CheckoutFact) { f.Status, f.Agreed = billing.CheckoutOpen, true }, nil},
		"agreed, another sum":           {func(f *billing.CheckoutFact) { f.Status, f.Agreed, f.Subtotal.Minor = billing.CheckoutOpen, true, 1 }, billing.ErrLie},
		"still open, and without a sum": {func(f *billing.CheckoutFact) { f.Status, f.Subtotal = billing.CheckoutOpen, money.Amount{} }, nil},
		"over, and of another price":    {func(f *billing.CheckoutFact) { f.Status, f.PriceID = billing.CheckoutExpired, "other" }, nil},
	} {
		reported := right
		c.lie(&reported)
		held := billing.RestoreCheckout(billing.CheckoutSnapshot{PriceID: "pri_ours", Quantity: 2, Subtotal: money.Of(1000, "EUR"), Status: billing.CheckoutOpen}, 1)
		changed, err := held.Take(billing.Fact{ID: "c", At: now, Checkout: &reported}, map[string]billing.PriceID{"remote": "pri_ours"}[reported.PriceID])
		if !errors.Is(err, c.want) || changed != (c.want == nil) {
			t.Errorf("%s: %t, %v; want %v", name, changed, err, c.want)
		}
	}
}
