package httpapi

import (
	"net/http"
	"net/netip"

	"gatehouse.internal/ports/inbound"
)

// Origins determines who requests come from, for handlers outside the command endpoint
// that execute commands of their own.
type Origins struct {
	clients addresses
	browser browsers
}

// NewOrigins believes what these proxies say about their clients. The issuer is the
// public address of the service.
func NewOrigins(proxies []netip.Prefix, issuer string) Origins {
	return Origins{clients: trusting(proxies), browser: browsersOf(issuer)}
}

// Of returns a call without a command: the address, user agent and number of the
// request that w answers, which has come through the handler of a Server.
func (o Origins) Of(w http.ResponseWriter, r *http.Request) inbound.Request {
	return inbound.Request{
		Method: r.Method, Path: r.URL.EscapedPath(),
		IP: o.clients.client(r), UserAgent: userAgent(r), RequestID: requestID(w), Browser: o.browser.of(r),
	}
}
