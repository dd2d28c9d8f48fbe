package pages_test

import (
	"os"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// TestEveryPageFits for billing: the pages of who sells, and of who bought something at the
// sandbox.
func TestEveryPageOfBillingFits(t *testing.T) {
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
		if *browser.Screens != "" {
			if err := os.MkdirAll(*browser.Screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := browser.House(t, on)
		vendor, owner := browser.NewTab(t, at), browser.NewTab(t, at)
		v, p := instance.Newcomer(), instance.Newcomer()
		vendor.Register(v).Open("/account/billing").Picture("billing-empty")
		at.As(at.Again(v), "PRODUCT.CREATE", P{"name": "Drafting Table", "slug": "drafting", "public": true}).OK()
		vendor.Press("Prices").Picture("prices-empty")
		vendor.Press("Create price").Picture("price-new")
		vendor.Fill("Amount", "1900").Fill("Currency", "EUR").Press("Create price").Sees("19.00 EUR").Picture("prices")
		vendor.Press("Coupons").Press("Create coupon").Picture("coupon-new")
		vendor.Fill("Code", "SPRING").Fill("Percent off", "25").Press("Create coupon").Sees("25 percent off").Picture("coupons")
		monthly := at.As(at.Again(v), "BILLING.PRICE_CREATE", P{
			"product_id": "drafting", "currency": "EUR", "unit_amount": 900, "interval": "month", "model": "per_seat",
		}).Text("price.id")

		owner.Register(p)
		made := at.As(at.Again(p), "BILLING.CHECKOUT_CREATE", P{"price_id": monthly, "success_url": "http://localhost:3000/done"}).Text("checkout.url")
		owner.Open(made[strings.Index(made, "/dev/"):]).Picture("sandbox-payment")
		owner.Press("Pay").Sees("completed")
		owner.Open("/account/billing").Sees("Drafting Table").Picture("billing")
		owner.Press("Open the subscription to Drafting Table").Picture("plan")
		owner.Press("Cancel subscription").Picture("plan-cancel")
		owner.Press("Cancel subscription").Sees("Resume").Picture("plan-canceled")
		owner.Open("/account/billing").Press("Manage payment methods").Sees("4242").Picture("sandbox-portal")

		vendor.Press("Payments").Sees("9.00 EUR").Picture("payments")
		vendor.Press("Refund 9.00 EUR").Picture("refund-new")
		vendor.Fill("Amount", "300").Press("Refund").Sees("3.00 EUR").Picture("refunds")
		vendor.Press("Processor events").Sees("sandbox.pay").Picture("processor-events")
	})
}
