package httpapi_test

import (
	"context"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// Invalid requests are passed to the application to be counted, and its response is
// returned.
func TestRefusedCallsAreCounted(t *testing.T) {
	t.Parallel()
	const form = "grant_type=client_credentials&client_id=a&client_secret=b"
	for name, c := range map[string]struct {
		request *http.Request
		code    fault.Code
	}{
		"malformed JSON":       {post(`{"command":`), fault.Validation},
		"no command":           {post(`{}`), fault.Validation},
		"two credentials":      {post(`{"command":"A.B"}`, "Authorization", "Bearer a", "Authorization", "Bearer b"), fault.TokenInvalid},
		"two keys":             {post(`{"command":"A.B"}`, "Idempotency-Key", "a", "Idempotency-Key", "b"), fault.Validation},
		"two proofs":           {post(`{"command":"A.B"}`, "DPoP", "a", "DPoP", "b"), fault.Auth},
		"a form twice":         {formTo("/api/m2m/token", form+"&client_id=a"), fault.Validation},
		"a form without grant": {formTo("/api/m2m/token", "client_id=a"), fault.Validation},
		"a form, wrong Basic":  {formTo("/api/m2m/token", "grant_type=client_credentials", "Authorization", "Basic %"), fault.Auth},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := refusing{asked: make(chan inbound.Request, 1)}
			c.request.Header.Set("X-Forwarded-For", "198.51.100.7")
			server := bench(&scripted{})
			server.Commands, server.Proxies = app, []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
			w := do(start(t, server), c.request)
			if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "17" {
				t.Errorf("answer = %d, Retry-After %q, %s", w.Code, w.Header().Get("Retry-After"), w.Body)
			}
			got := <-app.asked
			if got.Refused == nil || got.Refused.Code != c.code || got.IP != netip.MustParseAddr("198.51.100.7") || got.RequestID != "made-1" {
				t.Errorf("asked %+v", got)
			}
		})
	}
}

// refusing is an application that rate-limits every call.
type refusing struct{ asked chan inbound.Request }

func (a refusing) Execute(_ context.Context, request inbound.Request) inbound.Reply {
	a.asked <- request
	failure := fault.New(fault.RateLimited, "slow down")
	failure.RetryAfter = 17 * time.Second
	return inbound.Reply{Failure: failure}
}

func (refusing) Catalog() []inbound.Descriptor { return nil }

func (refusing) Describe(context.Context, string) (inbound.Descriptor, bool) {
	return inbound.Descriptor{}, false
}
