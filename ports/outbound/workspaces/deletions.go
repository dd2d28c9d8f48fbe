package workspaces

import (
	"context"

	"gatehouse.internal/domain/workspace"
)

// Deletions deletes workspaces, inside a unit of work.
type Deletions interface {
	// Delete makes a workspace inaccessible immediately: its apps, keys and policies
	// are deleted, and sessions active there continue in the personal workspaces. Its
	// slug is reserved. Large amounts of data are left to Empty.
	Delete(ctx context.Context, w *workspace.Workspace) error
	// Left returns the number of rows left for Empty, up to a limit.
	Left(ctx context.Context, org workspace.ID) (int, error)
	// Empty deletes at most so many rows of a deleted workspace, and finally the
	// workspace itself. It reports true then, and if there is no such workspace. A
	// workspace that is not deleted is left unchanged.
	Empty(ctx context.Context, org workspace.ID, most int) (removed int, gone bool, err error)
}
