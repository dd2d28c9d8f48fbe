package httpapi

import (
	"net/http"
	"net/netip"

	"gatehouse.internal/ports/inbound"
)

// Origins determines the origin of requests, for handlers that execute commands outside
// of the command endpoint.
type Origins struct {
	clients addresses
	browser browsers
}

// NewOrigins returns Origins that trust these proxies. The issuer is the public address
// of the service.
func NewOrigins(proxies []netip.Prefix, issuer string) Origins {
	return Origins{clients: trusting(proxies), browser: browsersOf(issuer)}
}

// Of returns a call without a command, with the address, user agent and request ID of a
// request that has passed through the handler of a Server.
func (o Origins) Of(w http.ResponseWriter, r *http.Request) inbound.Request {
	return inbound.Request{
		Method: r.Method, Path: r.URL.EscapedPath(),
		IP: o.clients.client(r), UserAgent: userAgent(r), RequestID: requestID(w), Browser: o.browser.of(r),
	}
}
