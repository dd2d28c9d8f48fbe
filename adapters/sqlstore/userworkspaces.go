package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// UserWorkspaces finds a user's workspaces.
func (t *Tx) UserWorkspaces() outbound.UserWorkspaces { return userWorkspaces{t} }

type userWorkspaces struct{ tx *Tx }

// Personal looks the workspace up by its owner.
func (r userWorkspaces) Personal(ctx context.Context, person user.ID) (workspace.ID, error) {
	var found []workspace.ID
	if err := r.tx.q.list(ctx, &found, `SELECT id FROM workspaces WHERE personal_of = ?`, person.String()); err != nil {
		return "", fmt.Errorf("find the personal workspace of a user: %w", err)
	}
	if len(found) == 0 {
		return "", nil
	}
	return found[0], nil
}

// Shared lists the workspaces of a user but the one that came with the account.
func (r userWorkspaces) Shared(ctx context.Context, person user.ID) ([]workspace.ID, error) {
	var found []workspace.ID
	err := r.tx.q.list(ctx, &found, `
		SELECT w.id FROM members m JOIN workspaces w ON w.id = m.org_id
		WHERE m.user_id = ? AND (w.personal_of IS NULL OR w.personal_of <> m.user_id) ORDER BY w.id`, person.String())
	if err != nil {
		return nil, fmt.Errorf("list the shared workspaces of a user: %w", err)
	}
	return found, nil
}
