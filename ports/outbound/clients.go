package outbound

import (
	"context"

	"gatehouse.internal/domain/app"
)

// Clients looks up who authenticates as a client, outside any transaction.
type Clients interface {
	// BySlug gives the app of a client_id as it stands; those that wait together
	// share one query. It fails with app.ErrNotFound.
	BySlug(ctx context.Context, slug string) (Client, error)
}

// Client is an app as it was read at a version. Callers share it, so nobody
// changes what its slices hold.
type Client struct {
	App     app.Snapshot
	Version int64
}
