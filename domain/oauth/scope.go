package oauth

import "slices"

// The claim scopes of OpenID Connect (OpenID Connect Core section 5.4) and those of this
// service.
const (
	OpenID        = "openid"
	Profile       = "profile"
	Email         = "email"
	Phone         = "phone"
	Address       = "address"
	Org           = "org"
	Roles         = "roles"
	Groups        = "groups"
	OfflineAccess = "offline_access"
)

// Names of token exchange (RFC 8693 sections 2.1 and 3).
const (
	ExchangeGrant   = "urn:ietf:params:oauth:grant-type:token-exchange"
	AccessTokenType = "urn:ietf:params:oauth:token-type:access_token" //nolint:gosec // the name of a type
)

// MaxActors is how many parties may act for a person one behind the other (RFC 8693 section
// 4.1).
const MaxActors = 4

// ClaimScopes returns the scopes that any client may request.
func ClaimScopes() []string {
	return []string{OpenID, Profile, Email, Address, Phone, Org, Roles, Groups, OfflineAccess}
}

// SupportedScopes returns the scopes that give something: those of ClaimScopes without
// address and phone, which are accepted but have no claims.
func SupportedScopes() []string {
	return slices.DeleteFunc(ClaimScopes(), func(scope string) bool { return scope == Address || scope == Phone })
}

// IsClaimScope reports whether any client may request a scope.
func IsClaimScope(scope string) bool { return slices.Contains(ClaimScopes(), scope) }

// Authentication context classes (spec/oauth.md section 2).
const (
	OneFactor         = "urn:gatehouse:acr:1"
	TwoFactors        = "urn:gatehouse:acr:2"
	PhishingResistant = "urn:gatehouse:acr:phr"
)

// IsContext reports whether a text is a class that a login here may reach.
func IsContext(text string) bool {
	return text == OneFactor || text == TwoFactors || text == PhishingResistant
}

// ACROf returns the class of a login by its authentication methods (RFC 8176).
func ACROf(amr []string) string {
	switch {
	case slices.Contains(amr, "hwk"), slices.Contains(amr, "swk"):
		return PhishingResistant
	case slices.Contains(amr, "mfa"):
		return TwoFactors
	}
	return OneFactor
}

// Reached returns the classes that a login satisfies.
func Reached(amr []string) []string {
	switch ACROf(amr) {
	case PhishingResistant:
		return []string{OneFactor, TwoFactors, PhishingResistant}
	case TwoFactors:
		return []string{OneFactor, TwoFactors}
	}
	return []string{OneFactor}
}
