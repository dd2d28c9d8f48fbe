package machines

import (
	"context"

	"gatehouse.internal/ports/outbound"
)

// Clients looks up who authenticates as a client, outside any transaction.
type Clients interface {
	// BySlug returns the app of a client_id as it stands, with who has an audience, unless
	// that is empty; those that wait together share one query. It fails with
	// app.ErrNotFound.
	BySlug(ctx context.Context, slug, audience string) (outbound.Client, error)
}
