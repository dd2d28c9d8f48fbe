package httpapi

import (
	"context"
	"net/http"
	"slices"
)

// cors implements CORS for the allowed origins. Credentials are bearer tokens that
// pages attach themselves, so Access-Control-Allow-Credentials is never sent and no
// page can use cookies.
type cors struct {
	// origins returns the allowed origins. It is called for every cross-origin request,
	// because they change at run time.
	origins func(context.Context) []string
	// clients reports whether an origin belongs to an OAuth client. Pages of clients
	// may call the paths of openToClients without being listed.
	clients func(ctx context.Context, origin string) bool
}

// openToClients reports whether pages of any client may call a path: those that a
// browser-based client needs for a login.
func openToClients(path string) bool {
	switch path {
	case pathToken, pathPerson, pathRevokeOwn, pathKeys, pathOpenID, pathServer:
		return true
	}
	return false
}

// apply sets the CORS headers of a response, and reports whether the request was a
// preflight. A forbidden origin gets no headers.
func (c cors) apply(to http.Header, r *http.Request) (preflight bool) {
	to["Vary"] = append(to["Vary"], "Origin")
	sent := r.Header["Origin"]
	if len(sent) == 0 {
		return false
	}
	preflight = r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
	if preflight {
		to["Vary"] = append(to["Vary"], "Access-Control-Request-Method", "Access-Control-Request-Headers")
	}
	allowed := c.allowed(r.Context(), sent, openToClients(r.URL.Path))
	if allowed == "" {
		return preflight
	}
	to.Set("Access-Control-Allow-Origin", allowed)
	if preflight {
		to.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
		to.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, DPoP, Idempotency-Key, If-None-Match, X-API-Key, X-Request-Id")
		to.Set("Access-Control-Max-Age", "600")
		return true
	}
	to.Set("Access-Control-Expose-Headers", "ETag, X-Request-Id, Retry-After, Idempotent-Replayed, WWW-Authenticate, DPoP-Nonce")
	return false
}

// allowed returns the value of Access-Control-Allow-Origin, or "". With clients,
// origins of clients are allowed too. Origins are compared as bytes, since browsers
// send one form only.
func (c cors) allowed(ctx context.Context, sent []string, clients bool) string {
	if len(sent) != 1 || sent[0] == "" {
		return ""
	}
	origins := c.origins(ctx)
	switch {
	case slices.Contains(origins, "*"):
		return "*"
	case slices.Contains(origins, sent[0]), clients && c.clients(ctx, sent[0]):
		return sent[0]
	default:
		return ""
	}
}
