package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
)

// Endpoints stores endpoints, inside a unit of work.
type Endpoints interface {
	// ByID returns an endpoint. It fails with webhook.ErrNotFound.
	ByID(ctx context.Context, id webhook.ID) (*webhook.Endpoint, error)
	// Count returns the number of endpoints of a workspace, or of the instance. It
	// blocks concurrent calls until the transaction ends.
	Count(ctx context.Context, org workspace.ID) (int, error)
	Save(ctx context.Context, e *webhook.Endpoint) error
	Delete(ctx context.Context, e *webhook.Endpoint) error
	// Warn records a warning that an enabled endpoint fails, and reports whether it is
	// the first one since the last success.
	Warn(ctx context.Context, id webhook.ID, now time.Time) (bool, error)
}

// EndpointDirectory reads endpoints, outside any transaction.
type EndpointDirectory interface {
	// Find returns an endpoint. It fails with webhook.ErrNotFound.
	Find(ctx context.Context, id webhook.ID) (webhook.Snapshot, error)
	// List returns the endpoints that match, newest first.
	List(ctx context.Context, query EndpointQuery) ([]webhook.Snapshot, error)
}

// EndpointQuery narrows a list of endpoints; zero values of the other fields do not narrow.
type EndpointQuery struct {
	// Org is the workspace of the endpoints; empty for those of the instance.
	Org     workspace.ID
	Enabled *bool
	// Before is the last ID of the previous page.
	Before webhook.ID
	Limit  int
}
