// Package social is the model of upstream providers of social logins: their
// configuration, profiles, and the rules of linking (specification section 4.5,
// contract section 6).
package social

import (
	"slices"

	"gatehouse.internal/domain/fault"
)

// Errors of social logins.
var (
	ErrOff         = fault.New(fault.NotFound, "this provider is not enabled")
	ErrRefused     = fault.New(fault.Auth, "access_denied: this sign-in was refused")
	ErrDeclined    = fault.New(fault.Auth, "access_denied: the sign-in was declined at the provider")
	ErrCode        = fault.New(fault.Auth, "invalid_grant: the provider rejected the code; start again")
	ErrUnavailable = fault.New(fault.Auth, "temporarily_unavailable: the provider did not respond as expected; try again later")
	ErrTokenEnded  = fault.New(fault.Auth, "invalid_grant: the provider's token is no longer valid; sign in with the provider again")
)

// Provider is the name of an upstream provider.
type Provider string

// The providers.
const (
	Google  Provider = "google"
	GitHub  Provider = "github"
	Discord Provider = "discord"
)

// Providers lists all of them.
func Providers() []Provider { return []Provider{Google, GitHub, Discord} }

// Known reports whether there is a provider of this name.
func (p Provider) Known() bool { return slices.Contains(Providers(), p) }

// SchemaFragment describes the name in a JSON Schema.
func (Provider) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(Google), string(GitHub), string(Discord)}}
}

// DefaultScopes returns the default scopes of a provider: enough to identify the person
// and verify the address (specification section 4.5).
func (p Provider) DefaultScopes() []string {
	switch p {
	case Google:
		return []string{"openid", "email", "profile"}
	case GitHub:
		return []string{"user:email"}
	case Discord:
		return []string{"identify", "email"}
	}
	return nil
}
