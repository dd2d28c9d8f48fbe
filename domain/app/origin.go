package app

import (
	"crypto/subtle"
	"net/url"

	"gatehouse.internal/domain/keytext"
)

// Origin says who vouches for an app; empty is somebody of its workspace.
type Origin string

// The other origins.
const (
	// ByAnybody is open dynamic registration (RFC 7591): nobody does, whatever the app calls
	// itself.
	ByAnybody Origin = "open"
	// ByDocument is a Client ID Metadata Document: its client_id is the address that describes
	// it, and nobody else's.
	ByDocument Origin = "document"
)

// Vouched reports whether somebody of its workspace vouches for an app.
func (o Origin) Vouched() bool { return o == "" }

// SchemaFragment describes the origin in a JSON Schema.
func (Origin) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{ByAnybody, ByDocument}, "examples": []any{ByAnybody}}
}

// Registers reports whether a text is the registration access token of the app.
func (s Snapshot) Registers(text string) bool {
	return s.Registration != "" && subtle.ConstantTimeCompare([]byte(s.Registration), []byte(keytext.Digest(text))) == 1
}

// TypeOf returns the type of a client that authenticates by a method and has these redirect
// URLs, which may be none: one that comes back to the device it runs on is native.
func TypeOf(method AuthMethod, redirects []string) Type {
	switch {
	case method == AuthNone && onDevice(redirects):
		return Native
	case method == AuthNone:
		return SPA
	case len(redirects) == 0:
		return Service
	}
	return Web
}

// onDevice reports whether one of the addresses is of the device that opens it (RFC 8252
// section 7), or there is none.
func onDevice(addresses []string) bool {
	for _, address := range addresses {
		parsed, err := url.Parse(address)
		if err == nil && (parsed.Scheme != "https" || loopback(parsed.Hostname())) {
			return true
		}
	}
	return len(addresses) == 0
}
