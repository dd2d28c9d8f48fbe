package machines

import (
	"context"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
)

// Strangers tells about apps that nobody vouches for, inside a unit of work.
type Strangers interface {
	// Home returns the personal workspace of the first superadmin there is; it fails with
	// workspace.ErrNotFound.
	Home(ctx context.Context) (workspace.ID, error)
	// Count counts them in a workspace. Whoever counts for the same workspace waits until the
	// unit ends, so that a bound holds exactly.
	Count(ctx context.Context, org workspace.ID) (int, error)
	// Unused returns the oldest of them in a workspace that no person has let in, or has no
	// more; it fails with app.ErrNotFound.
	Unused(ctx context.Context, org workspace.ID) (app.ID, error)
}
