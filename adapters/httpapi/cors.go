package httpapi

import (
	"context"
	"net/http"
	"slices"
)

// cors lets the pages of the allowed origins call the service. Credentials are
// bearer tokens that a page attaches itself, so that
// Access-Control-Allow-Credentials is never sent: a browser adds nothing of its
// own to such a call, and no page can ride on somebody's login.
type cors struct {
	// origins is asked on every request of a page, for it changes while running.
	origins func(context.Context) []string
	// clients reports whether an origin is that of a client of OAuth. Its pages may call the
	// paths of openToClients without being listed.
	clients func(ctx context.Context, origin string) bool
}

// openToClients reports whether pages of any client may call a path: what a client that runs
// in a browser needs to log people in.
func openToClients(path string) bool {
	switch path {
	case pathToken, pathPerson, pathRevokeOwn, pathKeys, pathOpenID, pathServer:
		return true
	}
	return false
}

// apply writes the headers that an origin is due and reports whether the request
// was a preflight. An origin that is not allowed gets none, and its browser
// refuses the page.
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

// allowed returns what Access-Control-Allow-Origin says to an origin, or "". With clients, those
// of clients are allowed, too. Origins are compared as bytes: browsers send them in one form
// only.
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
