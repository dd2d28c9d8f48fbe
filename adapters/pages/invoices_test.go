package pages_test

import (
	"net/http"
	"testing"

	"gatehouse.internal/test/harness"
)

// The PDF of an invoice requires a session that may read the invoice.
func TestInvoicePDF(t *testing.T) {
	t.Parallel()
	h := service(t)
	ada := visit(t, h).signUp("ada@example.com")
	seller := h.Login("ada@example.com", harness.Password)
	product := seller.Do("PRODUCT.CREATE", harness.P{"name": "Table", "slug": "table", "public": true}).OK().String("product.id")
	seller.Do("BILLING.PRICE_CREATE", harness.P{"product_id": product, "currency": "EUR", "unit_amount": 1900}).OK()
	sold := seller.Do("BILLING.CHECKOUT_CREATE", harness.P{"product_id": product, "success_url": "http://localhost:3000/done"}).OK()
	h.Act(sold.String("checkout.url"), "pay")
	id := seller.Do("BILLING.INVOICE_LIST", nil).OK().List("items")[0]["id"].(string)
	path := "/account/billing/invoices/" + id + "/pdf"
	ada.get(path).shows(http.StatusOK, "%PDF-")
	ada.get("/account/billing/invoices/bin_01jd7x9k2mf3q8v5t0abcdefgh/pdf").shows(http.StatusNotFound).lacks("%PDF-")
	visit(t, h).signUp("eve@example.com").get(path).shows(http.StatusNotFound).lacks("%PDF-")
	visit(t, h).get(path).lacks("%PDF-")
}
