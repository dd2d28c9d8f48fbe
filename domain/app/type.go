package app

import (
	"slices"
	"time"

	"gatehouse.internal/domain/fault"
)

// Type is the kind of client, which determines whether it can keep a secret (RFC 6749
// section 2.1).
type Type string

// The types of apps.
const (
	// Service runs on a server and acts for itself.
	Service Type = "service"
	// Web runs on a server and logs people in.
	Web Type = "web"
	// SPA runs in a browser.
	SPA Type = "spa"
	// Native is installed on a device.
	Native Type = "native"
)

// Public reports whether the client is public, that is cannot keep a secret.
func (t Type) Public() bool { return t == SPA || t == Native }

func (t Type) defaultGrants() []GrantType {
	if t == Service {
		return []GrantType{ClientCredentials}
	}
	return []GrantType{AuthorizationCode, RefreshToken}
}

// SchemaFragment describes the type in a JSON Schema.
func (Type) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{Service, Web, SPA, Native}, "examples": []any{Service}}
}

// GrantType is a way to a token (RFC 6749).
type GrantType string

// The grant types.
const (
	ClientCredentials GrantType = "client_credentials"
	AuthorizationCode GrantType = "authorization_code"
	RefreshToken      GrantType = "refresh_token"
	// DeviceCode is that of RFC 8628; at the token endpoint it is called by its URN.
	DeviceCode GrantType = "device_code"
)

// SchemaFragment describes the grant type in a JSON Schema.
func (GrantType) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "enum": []any{ClientCredentials, AuthorizationCode, RefreshToken, DeviceCode},
		"examples": []any{ClientCredentials},
	}
}

// Bounds of how long tokens live.
const (
	DefaultTokenLife = time.Hour
	MinTokenLife     = time.Minute
	MaxTokenLife     = 24 * time.Hour
	MaxRefreshLife   = 365 * 24 * time.Hour
)

// May reports whether the app may use a grant type.
func (s Snapshot) May(grant GrantType) bool { return slices.Contains(s.GrantTypes, grant) }

// LogsIn reports whether people log in to the app.
func (s Snapshot) LogsIn() bool { return s.May(AuthorizationCode) || s.May(DeviceCode) }

// Exchanges reports whether the app may exchange a token that was given to a client (RFC
// 8693).
func (s Snapshot) Exchanges(client string) bool {
	return s.TokenExchange && (client == s.Slug || slices.Contains(s.ExchangeClients, client))
}

// TokenLife is how long a token of the app lives when a life is asked for, 0 for
// none in particular. The app's own setting is default and cap.
func (s Snapshot) TokenLife(asked time.Duration) time.Duration {
	life, most := DefaultTokenLife, MaxTokenLife
	if s.AccessTTL > 0 {
		life, most = s.AccessTTL, s.AccessTTL
	}
	if asked > 0 {
		life = asked
	}
	return max(MinTokenLife, min(life, most))
}

// check fails for attributes that do not match the type, or are out of range.
func (s Snapshot) check() error {
	complaints := append(s.Addresses.check(s.schemes()), s.Rules.check(s)...)
	// Who cannot authenticate must not act for itself (RFC 6749 section 4.4).
	if s.Type.Public() && s.May(ClientCredentials) {
		complaints = append(complaints, fault.Field{Path: "/grant_types", Message: "must not contain client_credentials for a public client (spa or native)"})
	}
	if !s.Origin.Vouched() && s.May(ClientCredentials) {
		complaints = append(complaints, fault.Field{Path: "/grant_types", Message: "must not contain client_credentials for a client that registered itself"})
	}
	if s.AccessTTL != 0 && (s.AccessTTL < MinTokenLife || s.AccessTTL > MaxTokenLife) {
		complaints = append(complaints, fault.Field{Path: "/access_ttl_seconds", Message: "must be from 60 to 86,400, or 0 for the default"})
	}
	if s.RefreshTTL < 0 || s.RefreshTTL > MaxRefreshLife {
		complaints = append(complaints, fault.Field{Path: "/refresh_ttl_days", Message: "must be from 1 to 365, or 0 for the default"})
	}
	if s.Type.Public() && s.TokenExchange {
		complaints = append(complaints, fault.Field{Path: "/token_exchange", Message: "must be false for a public client (spa or native)"})
	}
	if len(s.Scopes) > maxScopes {
		return ErrScopes
	}
	if len(complaints) > 0 {
		return fault.Refuse(complaints...)
	}
	return nil
}
