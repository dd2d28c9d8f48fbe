package machines

import (
	"context"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
)

// Strangers reads apps that nobody vouches for, inside a unit of work.
type Strangers interface {
	// Home returns the personal workspace of the first superadmin. It fails with
	// workspace.ErrNotFound.
	Home(ctx context.Context) (workspace.ID, error)
	// Count returns their number in a workspace. Concurrent units that count for the
	// same workspace are serialized, so that limits are exact.
	Count(ctx context.Context, org workspace.ID) (int, error)
	// Unused returns the oldest of them in a workspace that has no consent of any
	// person. It fails with app.ErrNotFound.
	Unused(ctx context.Context, org workspace.ID) (app.ID, error)
}
