package account

import "context"

// Providers lists the providers of social logins that are switched on. An identity linked
// at another provider lets nobody in.
type Providers interface {
	Enabled(ctx context.Context) ([]string, error)
}
