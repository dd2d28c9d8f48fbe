package harness

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"path"
	"time"

	"gatehouse.internal/domain/billing"
)

// inProcess carries the hooks of the sandbox to the service in this process.
type inProcess struct{ handler http.Handler }

func (c inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	c.handler.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

// Lie has the sandbox tell that a checkout was paid, and that it cost less than was agreed.
// page is the address of its page.
func (h *Service) Lie(page string) {
	h.t.Helper()
	shown, err := h.Sandbox.Show(h.t.Context(), path.Base(page))
	if err != nil {
		h.t.Fatal(err)
	}
	sale := shown.Sale
	sale.Facts[0].Checkout.Status, sale.Facts[0].Checkout.Subtotal.Minor = billing.CheckoutCompleted, 1
	body, signature, err := h.Sandbox.Hook(&sale, "pay", time.Time{})
	if err != nil {
		h.t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPost, "/api/billing/webhooks/sandbox", bytes.NewReader(body))
	request.Header.Set("Sandbox-Signature", signature)
	h.Handler.ServeHTTP(httptest.NewRecorder(), request)
	h.Settle()
}

// Act does something on the page of a checkout in the sandbox, such as pay, and applies what
// the sandbox tells of it. page is the address of the page.
func (h *Service) Act(page, name string) {
	h.t.Helper()
	h.Sandbox.Transport = inProcess{h.Handler}
	if err := h.Sandbox.Act(h.t.Context(), path.Base(page), name); err != nil {
		h.t.Fatalf("%s at %s: %v", name, page, err)
	}
	h.Settle()
}
