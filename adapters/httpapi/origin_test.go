package httpapi_test

import (
	"net/http"
	"net/netip"
	"testing"

	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// A site serves its paths and everything below them with any method, and gets the same
// origin as the command endpoint.
func TestSite(t *testing.T) {
	t.Parallel()
	origins := httpapi.NewOrigins([]netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, "http://gatehouse.test")
	var heard []inbound.Request
	server := bench(&scripted{})
	server.SitePaths = []string{"/account"}
	server.Site = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { heard = append(heard, origins.Of(w, r)) })
	handler := start(t, server)
	for _, path := range []string{"/account", "/account/", "/account/keys/new"} {
		do(handler, get(path, "X-Forwarded-For", "198.51.100.7", "X-Request-Id", "mine", "User-Agent", "a browser"))
	}
	for i, path := range []string{"/account", "/account/", "/account/keys/new"} {
		want := inbound.Request{
			Method: http.MethodGet, Path: path, IP: netip.MustParseAddr("198.51.100.7"), UserAgent: "a browser", RequestID: "mine",
		}
		if len(heard) != 3 || heard[i].Path != want.Path || heard[i].IP != want.IP || heard[i].UserAgent != want.UserAgent ||
			heard[i].RequestID != want.RequestID || heard[i].Method != want.Method || heard[i].Authorization != "" {
			t.Errorf("%s is heard as %+v", path, heard)
		}
	}
	for _, path := range []string{"/accounts", "/ACCOUNT", "/accoun"} {
		refusedAs(t, do(handler, get(path)), http.StatusNotFound, fault.NotFound)
	}
	if len(heard) != 3 {
		t.Errorf("the site heard %d requests", len(heard))
	}
}
