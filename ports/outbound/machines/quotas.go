package machines

import (
	"context"
	"time"

	"gatehouse.internal/domain/workspace"
)

// Quotas counts what a workspace has, inside a unit of work. Whoever counts for the
// same workspace waits until the unit ends, so that a bound holds exactly.
type Quotas interface {
	// Apps counts the apps that somebody vouches for.
	Apps(ctx context.Context, org workspace.ID) (int, error)
	// APIKeys counts the API keys that are active at a moment.
	APIKeys(ctx context.Context, org workspace.ID, now time.Time) (int, error)
	// Audited adds to the bytes of audit entries that applications recorded on the UTC
	// day of a moment. It reports false, and adds nothing, where they would be more
	// than the most there may be.
	Audited(ctx context.Context, org workspace.ID, size, most int, now time.Time) (bool, error)
}
