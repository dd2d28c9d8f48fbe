package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// UserWorkspaces returns the repository that finds the workspaces of a user.
func UserWorkspaces(tx *sqlstore.Tx) workspaces.UserWorkspaces { return userWorkspaces{tx} }

type userWorkspaces struct{ tx *sqlstore.Tx }

// Personal returns the personal workspace of a user, "" for none.
func (r userWorkspaces) Personal(ctx context.Context, person user.ID) (workspace.ID, error) {
	var found []workspace.ID
	if err := r.tx.List(ctx, &found, `SELECT id FROM workspaces WHERE personal_of = ?`, person.String()); err != nil {
		return "", fmt.Errorf("find the personal workspace of a user: %w", err)
	}
	if len(found) == 0 {
		return "", nil
	}
	return found[0], nil
}

// Guests counts the other members of a user's personal workspace. It locks the row of the
// workspace, so that no membership is added meanwhile.
func (r userWorkspaces) Guests(ctx context.Context, person user.ID) (count int, err error) {
	var locked []workspace.ID
	if err := r.tx.List(ctx, &locked, `SELECT id FROM workspaces WHERE personal_of = ? {for update}`, person.String()); err != nil {
		return 0, fmt.Errorf("lock a personal workspace: %w", err)
	}
	if len(locked) == 0 {
		return 0, nil
	}
	err = r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM members WHERE org_id = ? AND user_id <> ?`, locked[0].String(), person.String())
	if err != nil {
		return 0, fmt.Errorf("count the members of a personal workspace: %w", err)
	}
	return count, nil
}

// Shared lists the workspaces of a user, but for the personal one.
func (r userWorkspaces) Shared(ctx context.Context, person user.ID) ([]workspace.ID, error) {
	var found []workspace.ID
	err := r.tx.List(ctx, &found, `
		SELECT w.id FROM members m JOIN workspaces w ON w.id = m.org_id
		WHERE m.user_id = ? AND w.deleted_at IS NULL AND (w.personal_of IS NULL OR w.personal_of <> m.user_id) ORDER BY w.id`, person.String())
	if err != nil {
		return nil, fmt.Errorf("list the shared workspaces of a user: %w", err)
	}
	return found, nil
}
