package fetch_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"code.dny.dev/ssrf"
	"go.uber.org/goleak"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/ports/outbound"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server, and returns a client that trusts it.
func serve(t *testing.T, answer http.HandlerFunc) (address string, client *fetch.Client) {
	t.Helper()
	server := httptest.NewTLSServer(answer)
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return server.URL, fetch.New(fetch.Options{Loopback: true, Roots: roots})
}

func TestFetch(t *testing.T) {
	t.Parallel()
	const body = `{"keys":[]}`
	address, client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get("Cookie") != "" {
			t.Errorf("%s with %v", r.Method, r.Header)
		}
		_, _ = fmt.Fprint(w, body)
	})
	got, err := client.Fetch(t.Context(), address+"/jwks.json?a=b")
	if err != nil || string(got) != body {
		t.Errorf("Fetch() = %q, %v", got, err)
	}
}

func TestFetchRefusesAnswers(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("the redirect was followed")
			}
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		},
		"an error":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"no content":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"a long answer": func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, strings.Repeat("a", 256<<10+1)) },
		"a cut answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = fmt.Fprint(w, "a")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, client := serve(t, answer)
			if got, err := client.Fetch(t.Context(), address); err == nil {
				t.Errorf("Fetch() = %d bytes, want an error", len(got))
			}
		})
	}
}

func TestFetchTakesTheLongestAnswer(t *testing.T) {
	t.Parallel()
	address, client := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, strings.Repeat("a", 256<<10)) })
	if got, err := client.Fetch(t.Context(), address); err != nil || len(got) != 256<<10 {
		t.Errorf("Fetch() = %d bytes, %v", len(got), err)
	}
}

func TestFetchRefusesAddresses(t *testing.T) {
	t.Parallel()
	client := fetch.New(fetch.Options{})
	for _, address := range []string{
		"", "http://example.com/jwks", "file:///etc/passwd", "https://", "https:example.com", "//example.com", "https://a:b@example.com/", "https://exa mple.com", "://",
	} {
		if _, err := client.Fetch(t.Context(), address); err == nil || errors.Is(err, ssrf.ErrProhibitedIP) {
			t.Errorf("Fetch(%q) = %v, want a refusal of the address itself", address, err)
		}
	}
}

// inward are hosts that must not be reached.
func inward() []string {
	return []string{
		"127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.0.192",
		"255.255.255.255", "224.0.0.1", "[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[64:ff9b::7f00:1]",
		"[2002:7f00:1::]", "localhost", "2130706433", "0x7f000001",
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	client := fetch.New(fetch.Options{})
	for _, host := range append(inward(), "LOCALHOST", "localhost.", "a.localhost", "127.1", "127.0.0.0x1", "0177.0.0.1", "10.0.0.1.",
		"[fe80::1%25eth0]", "intranet", "printer.local", "localhost.localdomain", "metadata.google.internal", "router.home.arpa") {
		if err := client.Check("https://" + host + ":8443/jwks"); !errors.Is(err, outbound.ErrInward) {
			t.Errorf("Check(%s) = %v, want ErrInward", host, err)
		}
	}
	for _, host := range []string{"example.com", "example.com.", "internal.example.com", "1.example.com", "203.0.114.1", "[2606:4700::1111]"} {
		if err := client.Check("https://" + host + "/jwks"); err != nil {
			t.Errorf("Check(%s) = %v", host, err)
		}
	}
	if err := client.Check("http://example.com/jwks"); err == nil || errors.Is(err, outbound.ErrInward) {
		t.Errorf("Check() of an address without TLS = %v", err)
	}
	local := fetch.New(fetch.Options{Loopback: true})
	for address, through := range map[string]bool{
		"https://127.0.0.1:8443/jwks": true, "http://127.0.0.1/jwks": true, "http://localhost:3000/jwks": true, "http://[::1]:3000/jwks": true, "https://example.com/jwks": true,
		"http://example.com/jwks": false, "http://10.0.0.1/jwks": false, "https://10.0.0.1/jwks": false, "https://169.254.169.254/": false, "http://a.localhost/": false, "ftp://localhost/": false,
	} {
		if err := local.Check(address); (err == nil) != through {
			t.Errorf("in development, Check(%s) = %v", address, err)
		}
	}
}

func TestFetchGuardsTheDial(t *testing.T) {
	t.Parallel()
	client := fetch.New(fetch.Options{})
	for _, host := range inward() {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		_, err := client.Fetch(ctx, "https://"+host+":8443/jwks")
		cancel()
		if err == nil || strings.Contains(err.Error(), "refused") {
			t.Errorf("Fetch(%s) = %v, want a refusal before the connection", host, err)
		}
	}
}

func TestFetchAsksNoProxy(t *testing.T) {
	asked := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(proxy.Close)
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	if _, err := fetch.New(fetch.Options{}).Fetch(t.Context(), "https://10.0.0.1/jwks"); !errors.Is(err, ssrf.ErrProhibitedIP) {
		t.Errorf("Fetch() = %v, want ErrProhibitedIP", err)
	}
	if asked {
		t.Error("the proxy was asked")
	}
}

func TestFetchTrustsNobodyElse(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("an untrusted server was asked") })
	if _, err := fetch.New(fetch.Options{Loopback: true}).Fetch(t.Context(), address); err == nil {
		t.Error("Fetch() from an unknown certificate = nil")
	}
}

func TestFetchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	address, client := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-done:
		}
	})
	t.Cleanup(func() { close(done) })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := client.Fetch(ctx, address); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Fetch() = %v, want DeadlineExceeded", err)
	}
}

// In development, what apps publish may be on this machine and need no certificate.
func TestFetchFromThisMachine(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "{}") }))
	t.Cleanup(server.Close)
	named := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	for _, address := range []string{server.URL, named} {
		if got, err := fetch.New(fetch.Options{Loopback: true}).Fetch(t.Context(), address); err != nil || string(got) != "{}" {
			t.Errorf("in development, Fetch(%s) = %q, %v", address, got, err)
		}
		if got, err := fetch.New(fetch.Options{}).Fetch(t.Context(), address); err == nil {
			t.Errorf("Fetch(%s) = %q, want an error", address, got)
		}
	}
}
