package workspaces

import (
	"context"

	"gatehouse.internal/domain/workspace"
)

// Deletions takes workspaces away, inside a unit of work.
type Deletions interface {
	// Delete ends a workspace for everybody at once: it is not found any more, its apps, keys
	// and policies are gone, and the sessions that are active there go on in the personal
	// workspaces. Its slug is reserved; what may be much of it is left to Empty.
	Delete(ctx context.Context, w *workspace.Workspace) error
	// Left counts what Empty is to remove, as far as is worth counting.
	Left(ctx context.Context, org workspace.ID) (int, error)
	// Empty removes some of what is left of a deleted workspace, and at last its row: then,
	// and where there is none, it reports true. What nobody deleted it leaves alone.
	Empty(ctx context.Context, org workspace.ID, most int) (removed int, gone bool, err error)
}
