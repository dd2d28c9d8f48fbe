package account

import "context"

// Providers returns the enabled providers of social logins. Identities at other
// providers cannot be used.
type Providers interface {
	Enabled(ctx context.Context) ([]string, error)
}
