package outbound

import (
	"context"

	"gatehouse.internal/domain/workspace"
)

// WorkspaceDirectory finds workspaces for reading, outside any transaction.
type WorkspaceDirectory interface {
	// Find fails with workspace.ErrNotFound.
	Find(ctx context.Context, id workspace.ID) (workspace.Snapshot, error)
}
