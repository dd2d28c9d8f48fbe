package e2e_test

import (
	"os"
	"strings"
	"testing"
)

// TestEveryPageFits for billing: the pages of who sells, and of who bought something at the
// sandbox.
func TestEveryPageOfBillingFits(t *testing.T) {
	onIts(t, sqlite(), func(t *testing.T, on store) {
		if *screens != "" {
			if err := os.MkdirAll(*screens, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		at := house(t, on)
		vendor, owner := newTab(t, at), newTab(t, at)
		v, p := newcomer(), newcomer()
		vendor.register(v).open("/account/billing").picture("billing-empty")
		at.as(at.again(v), "PRODUCT.CREATE", P{"name": "Drafting Table", "slug": "drafting", "public": true}).ok()
		vendor.press("Prices").picture("prices-empty")
		vendor.press("New price").picture("price-new")
		vendor.fill("Amount", "1900").fill("Currency", "EUR").press("Make the price").sees("19.00 EUR").picture("prices")
		vendor.press("Coupons").press("New coupon").picture("coupon-new")
		vendor.fill("Code", "SPRING").fill("Percent off", "25").press("Make the coupon").sees("25 percent off").picture("coupons")
		monthly := at.as(at.again(v), "BILLING.PRICE_CREATE", P{
			"product_id": "drafting", "currency": "EUR", "unit_amount": 900, "interval": "month", "model": "per_seat",
		}).text("price.id")

		owner.register(p)
		made := at.as(at.again(p), "BILLING.CHECKOUT_CREATE", P{"price_id": monthly, "success_url": "http://localhost:3000/done"}).text("checkout.url")
		owner.open(made[strings.Index(made, "/dev/"):]).picture("sandbox-payment")
		owner.press("Pay").sees("completed")
		owner.open("/account/billing").sees("Drafting Table").picture("billing")
		owner.press("Open the subscription of Drafting Table").picture("plan")
		owner.press("Cancel the subscription").picture("plan-cancel")
		owner.press("Cancel the subscription").sees("Resume").picture("plan-canceled")
		owner.open("/account/billing").press("Open its portal").sees("4242").picture("sandbox-portal")

		vendor.press("Payments").sees("9.00 EUR").picture("payments")
		vendor.press("Refund 9.00 EUR").picture("refund-new")
		vendor.fill("Amount", "300").press("Refund").sees("3.00 EUR").picture("refunds")
		vendor.press("Processor events").sees("sandbox.pay").picture("processor-events")
	})
}
