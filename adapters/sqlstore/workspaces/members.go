package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/workspace"
)

// moveHome makes the personal workspace of each the active one of sessions that have not
// ended; the conditions follow. Their version moves, so that whoever read one before does
// not go on in the workspace.
const moveHome = `UPDATE sessions SET version = version + 1, flow_claims = '',
		org_id = COALESCE((SELECT w.id FROM workspaces w WHERE w.personal_of = sessions.user_id), '')
	WHERE ended_at IS NULL AND org_id = ?`

// moveSomeHome is moveHome for so many sessions.
const moveSomeHome = moveHome + ` AND id IN (SELECT id FROM sessions WHERE ended_at IS NULL AND org_id = ? ORDER BY id LIMIT ?)`

// MoveHome moves the sessions that are left in a workspace.
func MoveHome(ctx context.Context, tx *sqlstore.Tx, org workspace.ID) error {
	if _, err := tx.Exec(ctx, moveHome, org.String()); err != nil {
		return fmt.Errorf("move sessions to the personal workspace: %w", err)
	}
	return nil
}

// RemoveMember deletes a membership of the version that it was read at.
func (r repository) RemoveMember(ctx context.Context, m *workspace.Member) error {
	s := m.Snapshot()
	org, person := s.OrgID.String(), s.UserID.String()
	n, err := r.tx.Exec(ctx, `DELETE FROM members WHERE org_id = ? AND user_id = ? AND version = ?`, org, person, m.Version())
	if err != nil {
		return fmt.Errorf("delete a membership: %w", err)
	}
	if n == 0 {
		return aggregate.ErrConflict
	}
	if _, err := r.tx.Exec(ctx, moveHome+` AND user_id = ?`, org, person); err != nil {
		return fmt.Errorf("move sessions to the personal workspace: %w", err)
	}
	return r.tx.RecordOf(ctx, m)
}
