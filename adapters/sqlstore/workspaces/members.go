package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/workspace"
)

// moveHome makes the personal workspace of its user the active one of each session in a workspace
// that has not ended; further conditions may follow. It increments the version, so that a request
// that read the session before does not store it with the old workspace.
const moveHome = `UPDATE sessions SET version = version + 1, flow_claims = '',
		org_id = COALESCE((SELECT w.id FROM workspaces w WHERE w.personal_of = sessions.user_id), '')
	WHERE ended_at IS NULL AND org_id = ?`

// moveSomeHome is moveHome for a limited number of sessions.
const moveSomeHome = moveHome + ` AND id IN (SELECT id FROM sessions WHERE ended_at IS NULL AND org_id = ? ORDER BY id LIMIT ?)`

// MoveHome makes the personal workspace of its user the active one of each session that is left in
// a workspace.
func MoveHome(ctx context.Context, tx *sqlstore.Tx, org workspace.ID) error {
	if _, err := tx.Exec(ctx, moveHome, org.String()); err != nil {
		return fmt.Errorf("move sessions to the personal workspace: %w", err)
	}
	return nil
}

// RemoveMember deletes a membership, and moves the sessions of the user out of the workspace.
func (r repository) RemoveMember(ctx context.Context, m *workspace.Member) error {
	s := m.Snapshot()
	org, person := s.OrgID.String(), s.UserID.String()
	if err := r.tx.Delete(ctx, "members", sqlstore.Row{{"org_id", org}, {"user_id", person}}, m); err != nil {
		return err
	}
	if _, err := r.tx.Exec(ctx, moveHome+` AND user_id = ?`, org, person); err != nil {
		return fmt.Errorf("move sessions to the personal workspace: %w", err)
	}
	return nil
}
