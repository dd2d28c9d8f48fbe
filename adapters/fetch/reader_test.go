package fetch_test

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"gatehouse.internal/adapters/fetch"
)

// A document is read over TLS from where its address leads, but no redirect leads to what the
// address itself could not have been.
func TestReader(t *testing.T) {
	t.Parallel()
	var plainly atomic.Int32
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { plainly.Add(1) }))
	t.Cleanup(plain.Close)
	served := http.NewServeMux()
	server := httptest.NewTLSServer(served)
	t.Cleanup(server.Close)
	served.HandleFunc("/document", func(http.ResponseWriter, *http.Request) {})
	for from, to := range map[string]string{
		"/third": "/document", "/second": "/third", "/first": "/second", "/fourth": "/first",
		"/plain": plain.URL, "/user": strings.Replace(server.URL, "https://", "https://user@", 1) + "/document",
	} {
		served.Handle(from, http.RedirectHandler(to, http.StatusFound))
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	reader := fetch.NewReader(fetch.SenderOptions{Through: fetch.Loopback, Roots: roots})
	for address, reads := range map[string]bool{
		server.URL + "/document": true, server.URL + "/first": true,
		server.URL + "/fourth": false, server.URL + "/plain": false, server.URL + "/user": false, plain.URL: false,
	} {
		answer, err := reader.Open(t.Context(), address)
		if (err == nil) != reads {
			t.Errorf("Open(%q): %v", address, err)
		}
		if err == nil {
			_ = answer.Body.Close()
		}
	}
	if n := plainly.Load(); n != 0 {
		t.Errorf("%d requests went without TLS", n)
	}
}
