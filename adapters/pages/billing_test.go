package pages_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"gatehouse.internal/test/fake/upstream/mollie"
	"gatehouse.internal/test/harness"
)

// A buyer subscribes, changes the plan, cancels, resumes and downloads the invoice; the
// seller creates a price and a coupon, and refunds part of the payment.
func TestBillingPages(t *testing.T) {
	t.Parallel()
	h := service(t)
	b := visit(t, h).signUp("seller@example.com")
	b.get("/account/billing").shows(http.StatusOK, "You have no subscriptions.", "Processor events")
	seller := h.Login("seller@example.com", harness.Password)
	product := seller.Do("PRODUCT.CREATE", harness.P{"name": "Table", "slug": "table", "public": true}).OK().String("product.id")
	b.get("/account/billing/prices/new").shows(http.StatusOK, "Table")
	b.fill("/account/billing/prices/new", "product_id="+product, "unit_amount=many", "currency=EUR", "interval=month", "model=per_seat").
		shows(http.StatusUnprocessableEntity)
	b.get("/account/billing/prices/new").fill("/account/billing/prices/new", "product_id="+product, "unit_amount=1900", "currency=EUR", "interval=month", "model=per_seat").
		goes("/account/billing/prices").follow().shows(http.StatusOK, "19.00 EUR per seat, every month")
	b.get("/account/billing/coupons/new").fill("/account/billing/coupons/new", "code=HALF", "percent_off=50", "duration=once").
		goes("/account/billing/coupons").follow().shows(http.StatusOK, "HALF", "50 percent off")
	b.fill("/account/billing/coupons/end", "code=HALF").goes("/account/billing/coupons").follow().shows(http.StatusOK, "Ended")

	buyer := h.SignUp("buyer@example.com")
	made := buyer.Do("BILLING.CHECKOUT_CREATE", harness.P{"product_id": product, "success_url": "http://localhost:3000/done"}).OK()
	h.Act(made.String("checkout.url"), "pay")
	sub := buyer.Do("BILLING.SUBSCRIPTION_LIST", nil).OK().List("items")[0]["id"].(string)
	own := visit(t, h).get("/login").fill("/login", "email=buyer@example.com", "password="+harness.Password).goes("/account").follow()
	own.get("/account/billing").shows(http.StatusOK, "Table", "19.00 EUR", "/account/billing/portal")
	if own.get("/account/billing/portal"); !strings.Contains(own.page.to, "/dev/payments/portal/sbp_") {
		t.Errorf("the portal is at %q", own.page.to)
	}
	own.get("/account/billing/plans/"+sub).shows(http.StatusOK, "19.00 EUR per seat, every month")
	own.fill("/account/billing/plans/change", "subscription_id="+sub, "quantity=0").shows(http.StatusUnprocessableEntity)
	own.get("/account/billing/plans/"+sub).fill("/account/billing/plans/change", "subscription_id="+sub, "quantity=3").
		goes("/account/billing/plans/"+sub).follow().shows(http.StatusOK, "The plan was changed.", "57.00 EUR")
	own.get("/account/billing/plans/"+sub+"/cancel").shows(http.StatusOK, "Cancel this subscription?").
		fill("/account/billing/plans/cancel", "subscription_id="+sub).goes("/account/billing/plans/"+sub).follow().shows(http.StatusOK, "canceled", "Resume")
	own.fill("/account/billing/plans/resume", "subscription_id="+sub).goes("/account/billing/plans/"+sub).follow().shows(http.StatusOK, "active")
	stranger := visit(t, h).signUp("stranger@example.com")
	stranger.get("/account/billing/plans/" + sub).shows(http.StatusNotFound)

	paid := seller.Do("BILLING.PAYMENT_LIST", nil).OK().List("items")[0]["id"].(string)
	b.get("/account/billing/payments").shows(http.StatusOK, "19.00 EUR")
	b.get("/account/billing/payments/"+paid+"/refund").shows(http.StatusOK).fill("/account/billing/payments/refund", "payment_id="+paid, "amount=99999").
		shows(http.StatusUnprocessableEntity)
	b.get("/account/billing/payments/"+paid+"/refund").fill("/account/billing/payments/refund", "payment_id="+paid, "amount=900").
		goes("/account/billing/refunds").follow().shows(http.StatusOK, "9.00 EUR")
	h.Lie(buyer.Do("BILLING.CHECKOUT_CREATE", harness.P{"product_id": product, "quantity": 9, "success_url": "http://localhost:3000/done"}).OK().String("checkout.url"))
	failed := seller.Do("BILLING.PROCESSOR_EVENT_LIST", harness.P{"status": "failed"}).OK().List("items")[0]["id"].(string)
	b.get("/account/billing/told").shows(http.StatusOK, "Retry").fill("/account/billing/told/replay", "processor_event_id="+failed).
		goes("/account/billing/told").follow().shows(http.StatusOK, "The event failed again")
}

// Without a portal of the processor, the page links to none.
func TestBillingWithoutPortal(t *testing.T) {
	t.Parallel()
	at := mollie.Start(t)
	h := service(t, at.Environment()...)
	at.Now = h.Clock.Now
	seller, buyer := h.SignUp("seller@example.com"), h.SignUp("buyer@example.com")
	product := seller.Do("PRODUCT.CREATE", harness.P{"name": "Table", "slug": "table", "public": true, "processor": "mollie"}).OK().String("product.id")
	seller.Do("BILLING.PRICE_CREATE", harness.P{"product_id": product, "currency": "EUR", "unit_amount": 1900}).OK()
	made := buyer.Do("BILLING.CHECKOUT_CREATE", harness.P{"product_id": product, "success_url": "http://localhost:3000/done"}).OK()
	at.Act(made.String("checkout.url"), "pay")
	for _, hook := range at.Hooks() {
		recorder := httptest.NewRecorder()
		h.Handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/api/billing/webhooks/mollie", bytes.NewReader(hook)))
	}
	h.Settle()
	own := visit(t, h).get("/login").fill("/login", "email=buyer@example.com", "password="+harness.Password).goes("/account").follow()
	own.get("/account/billing").shows(http.StatusOK, "19.00 EUR").lacks("/account/billing/portal")
}

// The sandbox shows the payment, and an invoice once it is paid; product names are
// escaped.
func TestSandboxPages(t *testing.T) {
	t.Parallel()
	h := devService(t)
	b := onIt(t, h)
	seller, buyer := h.SignUp("seller@example.com"), h.SignUp("buyer@example.com")
	product := seller.Do("PRODUCT.CREATE", harness.P{"name": "<b>Table</b>", "slug": "table", "public": true}).OK().String("product.id")
	seller.Do("BILLING.PRICE_CREATE", harness.P{"product_id": product, "currency": "KWD", "unit_amount": 1250, "interval": "month", "model": "per_seat"}).OK()
	made := buyer.Do("BILLING.CHECKOUT_CREATE", harness.P{"product_id": product, "quantity": 2, "success_url": "http://localhost:3000/done"}).OK()
	page := strings.TrimPrefix(made.String("checkout.url"), harness.Issuer)
	b.get(page).shows(http.StatusOK, "2 × <b>Table</b>", "2.500 KWD").lacks("Invoices")
	h.Act(made.String("checkout.url"), "pay")
	b.get(page).shows(http.StatusOK, "Invoices")
	link := regexp.MustCompile(`/dev/payments/invoices/[a-z0-9_]+`).FindString(b.page.body)
	b.get(link).shows(http.StatusOK, "2 × <b>Table</b>", "2.500 KWD", "paid", page)
	if strings.Contains(b.page.body, "<b>Table") {
		t.Error("the name of the product is markup")
	}
	b.get(link + "0").shows(http.StatusNotFound)
	b.get("/dev/payments/invoices/" + strings.TrimPrefix(page, "/dev/payments/")).shows(http.StatusNotFound)
}
