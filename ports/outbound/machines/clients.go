package machines

import (
	"context"

	"gatehouse.internal/ports/outbound"
)

// Clients reads authenticating clients, outside any transaction.
type Clients interface {
	// BySlug returns the app of a client_id, with the owner of an audience unless that
	// is empty. Concurrent calls share one query. It fails with app.ErrNotFound.
	BySlug(ctx context.Context, slug, audience string) (outbound.Client, error)
}
