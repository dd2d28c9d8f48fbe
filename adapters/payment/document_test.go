package payment_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"gatehouse.internal/adapters/payment"
)

// The address of a document is whatever the processor names: it is read where it is public, and
// leads nowhere else.
func TestDocumentsOfThisNetworkAreNotRead(t *testing.T) {
	t.Parallel()
	const inward = "http://169.254.169.254/latest/meta-data"
	var asked atomic.Int32
	served := http.NewServeMux()
	served.HandleFunc("/pdf", func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); _, _ = io.WriteString(w, "%PDF") })
	served.Handle("/moved", http.RedirectHandler("/pdf", http.StatusFound))
	served.Handle("/inward", http.RedirectHandler(inward, http.StatusFound))
	served.Handle("/round", http.RedirectHandler("/round", http.StatusFound))
	plain, sealed := httptest.NewServer(served), httptest.NewTLSServer(served)
	t.Cleanup(plain.Close)
	t.Cleanup(sealed.Close)
	for _, address := range []string{plain.URL + "/pdf", sealed.URL + "/pdf", inward, "https://169.254.169.254/", "file:///etc/passwd", "", "https://[::1"} {
		if _, err := payment.Document(t.Context(), payment.Documents(payment.Options{}), address); err == nil {
			t.Errorf("%q is read", address)
		}
	}
	if got := asked.Load(); got != 0 {
		t.Errorf("this machine was asked %d times", got)
	}
	developing := payment.Documents(payment.Options{BaseURL: plain.URL})
	for address, reads := range map[string]bool{"/pdf": true, "/moved": true, "/inward": false, "/round": false} {
		body, err := payment.Document(t.Context(), developing, plain.URL+address)
		if (err == nil) != reads {
			t.Errorf("in development, of %s: %v", address, err)
		}
		if err == nil {
			_ = body.Close()
		}
	}
	if _, err := payment.Document(t.Context(), developing, plain.URL+"/none"); !errors.Is(err, payment.ErrDocument) {
		t.Errorf("a document that is not there: %v", err)
	}
}
