package machines

import (
	"context"
	"time"

	"gatehouse.internal/domain/workspace"
)

// Quotas counts what a workspace has, inside a unit of work. Concurrent units that
// count for the same workspace are serialized, so that limits are exact.
type Quotas interface {
	// Apps returns the number of vouched-for apps.
	Apps(ctx context.Context, org workspace.ID) (int, error)
	// APIKeys returns the number of active API keys.
	APIKeys(ctx context.Context, org workspace.ID, now time.Time) (int, error)
	// Audited adds to the size of the audit entries recorded by applications on the UTC
	// day of a time, in bytes. It returns false and adds nothing if the total would
	// exceed most.
	Audited(ctx context.Context, org workspace.ID, size, most int, now time.Time) (bool, error)
}
