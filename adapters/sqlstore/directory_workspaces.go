package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// WorkspaceDirectory finds workspaces for reading.
func (s *Store) WorkspaceDirectory() outbound.WorkspaceDirectory { return workspaceDirectory{s} }

type workspaceDirectory struct{ store *Store }

// Find gives one workspace.
func (d workspaceDirectory) Find(ctx context.Context, id workspace.ID) (workspace.Snapshot, error) {
	found, err := oneWorkspace(ctx, d.store.reader(ctx), id)
	if err != nil {
		return workspace.Snapshot{}, err
	}
	return found.snapshot(), nil
}

// oneWorkspace reads one workspace. It fails with workspace.ErrNotFound.
func oneWorkspace(ctx context.Context, q *queries, id workspace.ID) (*workspaceRow, error) {
	var found workspaceRow
	err := q.get(ctx, &found, `SELECT id, name, personal_of, created_at, version FROM workspaces WHERE id = ?`, id.String())
	if errors.Is(err, sql.ErrNoRows) {
		return nil, workspace.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a workspace: %w", err)
	}
	return &found, nil
}
