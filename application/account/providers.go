package account

import "context"

// Providers reports which providers of social logins are switched on: an identity that
// is linked at another lets nobody in.
type Providers interface {
	Enabled(ctx context.Context) ([]string, error)
}
