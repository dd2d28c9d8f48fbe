package pages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/test/fake/upstream/paddle"
	"gatehouse.internal/test/harness"
)

// The checkout page runs Paddle.js, which only its own policy allows, until the
// checkout has ended; without Paddle the page does not exist.
func TestPaddlePage(t *testing.T) {
	t.Parallel()
	at := paddle.Start(t)
	h := service(t, at.Environment()...)
	at.Now = h.Clock.Now
	seller, buyer := h.SignUp("seller@example.com"), h.SignUp("buyer@example.com")
	product := seller.Do("PRODUCT.CREATE", harness.P{"name": "Table", "slug": "table", "public": true, "processor": "paddle"}).OK().String("product.id")
	seller.Do("BILLING.PRICE_CREATE", harness.P{"product_id": product, "currency": "EUR", "unit_amount": 1900, "interval": "month", "model": "per_seat"}).OK()
	checkout := func(quantity int) string {
		made := buyer.Do("BILLING.CHECKOUT_CREATE", harness.P{"product_id": product, "quantity": quantity, "success_url": "http://localhost:3000/done"}).OK()
		_, path, _ := strings.Cut(made.String("checkout.url"), "/pay/paddle/")
		return "/pay/paddle/" + path
	}
	b := visit(t, h).get("/login")
	plain := b.policy()
	for path, back := range map[string]bool{"/pay/paddle?_ptxn=txn_1": false, checkout(1): true} {
		b.get(path).shows(http.StatusOK, "test_01gatehouse", "https://cdn.paddle.com/paddle/v2/paddle.js")
		if got := strings.Contains(b.page.body, `data-success="http://localhost:3000/done"`); got != back || !strings.Contains(b.page.body, " data-test") {
			t.Errorf("%s: %s", path, b.page.body)
		}
		for _, part := range []string{"script-src 'self' https://cdn.paddle.com", "frame-src https://sandbox-buy.paddle.com", "default-src 'none'", "frame-ancestors 'none'"} {
			if !strings.Contains(b.policy(), part) {
				t.Errorf("%s: the policy is %s", path, b.policy())
			}
		}
		if strings.Contains(b.policy(), "unsafe") || b.page.header.Get("Cross-Origin-Opener-Policy") != "same-origin-allow-popups" {
			t.Errorf("%s: %v", path, b.page.header)
		}
	}
	if b.get("/login"); b.policy() != plain || strings.Contains(plain, "paddle") {
		t.Errorf("the policy of other pages is %s", b.policy())
	}
	late := checkout(2)
	h.Clock.Advance(25 * time.Hour)
	b.get(late).shows(http.StatusOK, "This checkout is no longer available.").lacks("cdn.paddle.com")
	if strings.Contains(b.policy(), "paddle") {
		t.Errorf("the policy of a page that is over is %s", b.policy())
	}
	b.get("/pay/paddle/chk_nobody").shows(http.StatusNotFound)
	visit(t, service(t)).get("/pay/paddle").shows(http.StatusNotFound)
}
