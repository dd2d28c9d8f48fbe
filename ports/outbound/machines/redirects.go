package machines

import (
	"context"
	"time"
)

// Redirects reads registered redirect addresses, outside any transaction.
type Redirects interface {
	// Registered reports whether an enabled app has registered exactly this address
	// in a workspace that a superadmin owns.
	Registered(ctx context.Context, address string, now time.Time) (bool, error)
	// At reports whether an enabled app has registered an address at an origin, such as
	// https://app.example.com.
	At(ctx context.Context, origin string) (bool, error)
}
