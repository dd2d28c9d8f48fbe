// Package redirect decides where people may be sent with something that logs them in, such
// as a link in a mail or the outcome of a login at another provider.
//
// # Decision
//
// An address must have been registered by the operator, in SOCIAL_REDIRECT_URLS or
// for an app of a workspace that a superadmin owns (contract section 6). Apps of
// other workspaces do not count, because everybody owns a workspace: whoever signs
// up could register an address of their own, and would receive what logs somebody
// else in. What would change our mind: logins that are for one app alone.
package redirect

import (
	"context"
	"slices"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// URI is an address that people are sent to.
type URI string

// SchemaFragment describes the address in a JSON Schema.
func (URI) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "minLength": 1, "maxLength": 2048,
		"examples": []any{"https://app.example.com/callback"},
	}
}

// Registered is every address that people may be sent to.
type Registered struct {
	// Listed are the addresses that the environment names.
	Listed []string
	Apps   machines.Redirects
	Clock  outbound.Clock
}

// Check returns nil if an address is registered; addresses are compared character by
// character (RFC 9700 section 2.1). Otherwise it fails with a validation fault about the
// parameter at the path.
func (r Registered) Check(ctx context.Context, path string, address URI) error {
	if wrong := app.RedirectFault(string(address)); wrong != "" {
		return fault.Unfit(path, wrong)
	}
	if slices.Contains(r.Listed, string(address)) {
		return nil
	}
	registered, err := r.Apps.Registered(ctx, string(address), r.Clock.Now())
	if err == nil && !registered {
		return fault.Unfit(path, "is not registered: add it to SOCIAL_REDIRECT_URLS, or to the redirect_urls of an app of the operator")
	}
	return err
}
