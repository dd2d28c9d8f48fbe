package app

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/keytext"
)

// Origin is who vouches for an app; empty for a member of its workspace.
type Origin string

// The other origins.
const (
	// ByAnybody is open dynamic registration (RFC 7591): the app's metadata is
	// unverified.
	ByAnybody Origin = "open"
	// ByDocument is a Client ID Metadata Document: the client_id is the address of the
	// document.
	ByDocument Origin = "document"
)

// Unnamed is the name of an app registered without one, which RFC 7591 section 2
// allows.
const Unnamed = "Unnamed application"

// Vouched reports whether a member of its workspace vouches for the app.
func (o Origin) Vouched() bool { return o == "" }

// Logo returns the address of the app's logo, or "". An app that nobody vouches for has
// none: it could show the logo of another one.
func (s Snapshot) Logo() string {
	if !s.Origin.Vouched() {
		return ""
	}
	return s.LogoURL
}

// SchemaFragment describes the origin in a JSON Schema.
func (Origin) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{ByAnybody, ByDocument}, "examples": []any{ByAnybody}}
}

// Registers reports whether a text is the registration access token of the app.
func (s Snapshot) Registers(text string) bool {
	return s.Registration != "" && subtle.ConstantTimeCompare([]byte(s.Registration), []byte(keytext.Digest(text))) == 1
}

// Describes reports whether the app describes itself by a registration access token (RFC 7592).
func (s Snapshot) Describes() bool { return s.Registration != "" }

// Dynamic reports whether the app registered itself (RFC 7591), or is described by a
// Client ID Metadata Document.
func (s Snapshot) Dynamic() bool { return s.Describes() || !s.Origin.Vouched() }

// TakesAnyPort reports whether redirect addresses of the app on the loopback interface
// match with any port (RFC 8252 section 7.3).
func (s Snapshot) TakesAnyPort() bool { return s.Type == Native || s.Type.Public() && s.Dynamic() }

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
		if OnDevice(address) {
			return true
		}
	}
	return len(addresses) == 0
}

// OnDevice reports whether an address leads to a program on the device that opens it:
// by the loopback interface, or by a private-use scheme.
func OnDevice(address string) bool {
	parsed, err := url.Parse(address)
	return err == nil && (parsed.Scheme != "https" || Loopback(parsed.Hostname()))
}

// longestDocument bounds the address of a document, in bytes.
const longestDocument = 1024

// IsDocument reports whether a client_id is the address of a Client ID Metadata Document: https,
// or http on this machine, which only development fetches, with a path that has no dots to
// resolve, and nothing that is no part of an identifier.
func IsDocument(clientID string) bool {
	if len(clientID) > longestDocument || redirectFault(clientID, noSchemes) != "" {
		return false
	}
	parsed, err := url.Parse(clientID)
	if err != nil || len(parsed.Path) < 2 || strings.Contains(clientID, "?") {
		return false
	}
	return !slices.ContainsFunc(strings.Split(parsed.Path, "/"), func(segment string) bool { return segment == "." || segment == ".." })
}

// ValidClientID reports whether a text has the form of a client_id: a slug, or an address.
func ValidClientID(text string) bool { return ValidSlug(text) || IsDocument(text) }

// DocumentID returns the identifier of the app that an address describes, a UUID of version 8 (RFC
// 9562 section 5.8).
func DocumentID(address string) ID {
	sum := sha256.Sum256([]byte(address))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	text := hex.EncodeToString(sum[:16])
	return ID(text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:])
}

// Described returns the app as its document describes it now. What others decided about it
// stays.
func (s Snapshot) Described(as Snapshot) Snapshot {
	unasked := s.SkipConsent
	s.Name, s.Type, s.Addresses, s.Rules, s.GrantTypes, s.JWKS, s.JWKSURI = as.Name, as.Type, as.Addresses, as.Rules, as.GrantTypes, as.JWKS, as.JWKSURI
	s.SkipConsent = unasked
	return s
}

// Introduce creates an app from its metadata document.
func Introduce(as Snapshot, now time.Time) *App {
	as.CreatedAt, as.UpdatedAt = now, now
	a := &App{s: as}
	a.Track(&a.s)
	a.Raise(Registered{AppID: as.ID, OrgID: as.OrgID, Slug: as.Slug, Type: as.Type, Scopes: as.Scopes})
	return a
}

// Describe updates the app from its metadata document. The same metadata changes
// nothing.
func (a *App) Describe(as Snapshot, now time.Time) {
	next := a.s.Described(as)
	if next.Name == a.s.Name && next.Type == a.s.Type && next.JWKS == a.s.JWKS && next.JWKSURI == a.s.JWKSURI && next.Rules == a.s.Rules &&
		next.LogoURL == a.s.LogoURL && next.PolicyURL == a.s.PolicyURL && next.TermsURL == a.s.TermsURL &&
		slices.Equal(next.RedirectURLs, a.s.RedirectURLs) && slices.Equal(next.LogoutURLs, a.s.LogoutURLs) && slices.Equal(next.GrantTypes, a.s.GrantTypes) {
		return
	}
	next.UpdatedAt = now
	a.s = next
	a.Raise(Updated{AppID: a.s.ID, OrgID: a.s.OrgID, Changed: []string{"document"}, Enabled: a.s.Enabled})
}
