package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
)

// Endpoints stores endpoints, inside a unit of work.
type Endpoints interface {
	// ByID fails with webhook.ErrNotFound.
	ByID(ctx context.Context, id webhook.ID) (*webhook.Endpoint, error)
	// Count is how many endpoints a workspace, or the instance, has. Until the unit ends
	// nobody else counts them.
	Count(ctx context.Context, org workspace.ID) (int, error)
	Save(ctx context.Context, e *webhook.Endpoint) error
	Delete(ctx context.Context, e *webhook.Endpoint) error
	// Warn notes that it was told that an enabled endpoint takes nothing; it reports whether
	// nobody had since something was taken.
	Warn(ctx context.Context, id webhook.ID, now time.Time) (bool, error)
}

// EndpointDirectory finds endpoints for reading, outside any transaction.
type EndpointDirectory interface {
	// Find fails with webhook.ErrNotFound.
	Find(ctx context.Context, id webhook.ID) (webhook.Snapshot, error)
	// List returns the endpoints that match, newest first.
	List(ctx context.Context, query EndpointQuery) ([]webhook.Snapshot, error)
}

// EndpointQuery narrows a list of endpoints; zero values of the other fields do not narrow.
type EndpointQuery struct {
	// Org is whose endpoints are listed; empty: those of the instance.
	Org     workspace.ID
	Enabled *bool
	// Before is the last id of the page before.
	Before webhook.ID
	Limit  int
}
