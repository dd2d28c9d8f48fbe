package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"gatehouse.internal/ports/inbound"
)

// cors implements CORS. Credentials are tokens that pages attach themselves, so
// Access-Control-Allow-Credentials is never sent and no page can use cookies.
//
// Besides the allowed origins, pages of OAuth clients need some paths (spec/oauth.md
// section 5): metadata is open to all, token, userinfo and revocation to origins of
// registered clients. While anyone may bring a client along, the paths for that are
// open to all too.
type cors struct {
	// from is asked for every cross-origin request, because origins change at run time.
	from inbound.Origins
}

// pathMCP is where agents reach commands (spec/surfaces.md section 3).
const pathMCP = "/mcp"

// isMetadata reports whether a path serves public metadata.
func isMetadata(path string) bool {
	return path == pathKeys || path == pathOpenID || path == pathServer || path == pathResource || strings.HasPrefix(path, pathResource+"/")
}

// isForClients reports whether pages of registered clients need a path for a sign-in.
func isForClients(path string) bool {
	return path == pathToken || path == pathPerson || path == pathRevokeOwn
}

func isRegistration(path string) bool {
	return path == pathRegister || strings.HasPrefix(path, pathRegister+"/")
}

// isForStrangers reports whether clients that nobody registered yet need a path.
func isForStrangers(path string) bool {
	return path == pathMCP || path == pathToken || isRegistration(path)
}

// apply sets the CORS headers of a response, and reports whether the request was a
// preflight. A forbidden origin gets no headers.
func (c cors) apply(to http.Header, r *http.Request) (preflight bool) {
	to["Vary"] = append(to["Vary"], "Origin")
	sent := r.Header["Origin"]
	if len(sent) == 0 {
		if isMetadata(r.URL.Path) { // shared caches keep the response for pages too
			allow(to, "*")
		}
		return false
	}
	preflight = r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
	if preflight {
		to["Vary"] = append(to["Vary"], "Access-Control-Request-Method", "Access-Control-Request-Headers")
	}
	allowed := c.allowed(r.Context(), r.URL.Path, sent, preflight)
	switch {
	case allowed == "":
	case preflight:
		to.Set("Access-Control-Allow-Origin", allowed)
		to.Set("Access-Control-Allow-Methods", methodsOf(r.URL.Path))
		to.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, DPoP, Dry-Run, Idempotency-Key, If-None-Match, MCP-Protocol-Version, Mcp-Session-Id, X-API-Key, X-Request-Id")
		to.Set("Access-Control-Max-Age", "600")
	default:
		allow(to, allowed)
	}
	return preflight
}

func methodsOf(path string) string {
	if isRegistration(path) {
		return "GET, HEAD, POST, PUT, DELETE"
	}
	return "GET, HEAD, POST"
}

// allow lets pages of an origin read a response.
func allow(to http.Header, origin string) {
	to.Set("Access-Control-Allow-Origin", origin)
	to.Set("Access-Control-Expose-Headers", "ETag, X-Request-Id, Retry-After, Idempotent-Replayed, WWW-Authenticate, DPoP-Nonce, Mcp-Session-Id")
}

// allowed returns the value of Access-Control-Allow-Origin, or "". Origins are compared
// as bytes, since browsers send one form only.
func (c cors) allowed(ctx context.Context, path string, sent []string, preflight bool) string {
	if isMetadata(path) {
		return "*"
	}
	if len(sent) != 1 || sent[0] == "" {
		return ""
	}
	origins := c.from.AllowedOrigins(ctx)
	switch {
	case slices.Contains(origins, "*"):
		return "*"
	case slices.Contains(origins, sent[0]), isForClients(path) && c.from.ClientOrigin(ctx, sent[0]):
		return sent[0]
	case path == pathToken && !preflight: // see allowPublic
		return ""
	case isForStrangers(path) && c.from.TakesStrangers(ctx):
		return "*"
	default:
		return ""
	}
}

// allowPublic lets any page read the response of the token endpoint to a public client,
// while anyone may bring one along. Responses to clients with a secret stay closed.
func (c cors) allowPublic(to http.Header, r *http.Request, sent form) {
	if r.URL.Path != pathToken || len(r.Header["Origin"]) != 1 || to.Get("Access-Control-Allow-Origin") != "" {
		return
	}
	public := len(r.Header["Authorization"]) == 0 && sent["client_secret"] == "" && sent["client_assertion"] == ""
	if public && c.from.TakesStrangers(r.Context()) {
		allow(to, "*")
	}
}
