package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/netip"
	"testing"

	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/inbound"
)

func measured() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up 1\n") })
}

// gate accepts one credential.
type gate string

func (g gate) Superadmin(_ context.Context, request inbound.Request) *fault.Error {
	switch request.Authorization {
	case "Bearer " + string(g):
		return nil
	case "Bearer user":
		return access.ErrSuperadmin
	}
	return fault.New(fault.TokenInvalid, "the bearer token is malformed")
}

// TestMetrics checks that metrics are readable by this machine, holders of the token
// and superadmins.
func TestMetrics(t *testing.T) {
	t.Parallel()
	const token = "9f8Zr7VwYt2LmXe8BnPc5HsDfGjKa4U3"
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32"), netip.MustParsePrefix("10.0.0.0/8")}
	for name, c := range map[string]struct {
		peer, host string
		headers    []string
		open       bool
		want       int
	}{
		"this machine":                      {"127.0.0.1:50000", "localhost:8400", nil, false, 200},
		"this machine by its address":       {"127.0.0.1:50000", "127.0.0.1:8400", nil, false, 200},
		"this machine, IPv6":                {"[::1]:50000", "[::1]:8400", nil, false, 200},
		"this machine, mapped":              {"[::ffff:127.0.0.1]:50000", "[::1]", nil, false, 200},
		"elsewhere":                         {"192.0.2.1:50000", "localhost:8400", nil, false, 401},
		"elsewhere, as if forwarded":        {"192.0.2.1:50000", "localhost", []string{"X-Forwarded-For", "127.0.0.1"}, false, 401},
		"a trusted proxy elsewhere":         {"10.1.2.3:50000", "localhost", []string{"X-Forwarded-For", "127.0.0.1"}, false, 401},
		"a trusted proxy here":              {"127.0.0.2:50000", "localhost:8400", nil, false, 401},
		"a trusted proxy here, forwarding":  {"127.0.0.2:50000", "localhost", []string{"X-Forwarded-For", "127.0.0.1"}, false, 401},
		"another proxy here":                {"127.0.0.1:50000", "localhost:8400", []string{"X-Forwarded-For", "192.0.2.1"}, false, 401},
		"another proxy here, RFC 7239":      {"127.0.0.1:50000", "localhost:8400", []string{"Forwarded", "for=192.0.2.1"}, false, 401},
		"another proxy here, by its name":   {"127.0.0.1:50000", "localhost:8400", []string{"Via", "1.1 proxy"}, false, 401},
		"a proxy that keeps the host":       {"127.0.0.1:50000", "auth.example.com", nil, false, 401},
		"a page with a name for this one":   {"127.0.0.1:50000", "localhost.evil.test:8400", nil, false, 401},
		"the token":                         {"192.0.2.1:50000", "auth.example.com", []string{"Authorization", "Bearer " + token}, false, 200},
		"the token through a proxy":         {"127.0.0.2:50000", "auth.example.com", []string{"Authorization", "bearer  " + token, "X-Forwarded-For", "192.0.2.1"}, false, 200},
		"another token":                     {"192.0.2.1:50000", "auth.example.com", []string{"Authorization", "Bearer " + token + "x"}, false, 401},
		"another token on this machine":     {"127.0.0.1:50000", "localhost", []string{"Authorization", "Bearer x"}, false, 401},
		"no token":                          {"192.0.2.1:50000", "auth.example.com", []string{"Authorization", "Bearer "}, false, 401},
		"the token as a password":           {"192.0.2.1:50000", "auth.example.com", []string{"Authorization", "Basic " + token}, false, 401},
		"two credentials":                   {"192.0.2.1:50000", "auth.example.com", []string{"Authorization", "Bearer " + token, "Authorization", "Bearer " + token}, false, 401},
		"a superadmin":                      {"192.0.2.1:50000", "auth.example.com", []string{"Authorization", "Bearer root"}, false, 200},
		"somebody else":                     {"192.0.2.1:50000", "auth.example.com", []string{"Authorization", "Bearer user"}, false, 403},
		"everybody, in development":         {"192.0.2.1:50000", "auth.example.com", nil, true, 200},
		"everybody, with a credential also": {"192.0.2.1:50000", "auth.example.com", []string{"Authorization", "Bearer x"}, true, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := bench(&scripted{})
			server.Proxies = proxies
			server.Metrics = httpapi.Metrics{Page: measured(), Gate: gate("root"), Token: secret.New(token), Open: c.open}
			r := get("/metrics", c.headers...)
			r.RemoteAddr, r.Host = c.peer, c.host
			w := do(start(t, server), r)
			if w.Code != c.want {
				t.Fatalf("answered %d %s, want %d", w.Code, w.Body, c.want)
			}
			switch c.want {
			case http.StatusOK:
				if w.Body.String() != "up 1\n" {
					t.Errorf("the page is %q", w.Body)
				}
			case http.StatusUnauthorized:
				if envelopeOf(t, w); w.Header().Get("WWW-Authenticate") == "" {
					t.Error("a 401 without a challenge")
				}
			}
		})
	}
}

// TestNoMetricsToken checks that an empty token grants no access.
func TestNoMetricsToken(t *testing.T) {
	t.Parallel()
	server := bench(&scripted{})
	server.Metrics = httpapi.Metrics{Page: measured(), Gate: gate("root")}
	for _, header := range []string{"Bearer ", "Bearer", ""} {
		refusedAs(t, do(start(t, server), get("/metrics", "Authorization", header)), http.StatusUnauthorized, fault.TokenInvalid)
	}
}
