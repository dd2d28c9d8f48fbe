package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// OfPersonal narrows to the personal workspace of a user, its parameter.
const OfPersonal = ` IN (SELECT id FROM workspaces WHERE personal_of = ?)`

// DropPersonalRules deletes what stands beside that of the instance, so that no key
// deletes it with the workspace. It looks under a lock of that row, so that what is
// being set meanwhile is deleted too, or finds no workspace any more.
func DropPersonalRules(ctx context.Context, tx *sqlstore.Tx, owner user.ID) error {
	var locked []workspace.ID
	if err := tx.List(ctx, &locked, `SELECT id FROM workspaces WHERE personal_of = ? {for update}`, owner.String()); err != nil {
		return fmt.Errorf("lock a personal workspace: %w", err)
	}
	for _, table := range []string{"policies", "email_templates", "webhook_endpoints", "audit_streams", "flow_runs"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE org_id`+OfPersonal, owner.String()); err != nil {
			return fmt.Errorf("delete the %s of a personal workspace: %w", table, err)
		}
	}
	if err := dropPersonal(ctx, tx, owner, "flows", "workspace_flows_at"); err != nil {
		return err
	}
	return dropPersonal(ctx, tx, owner, "ip_rules", "workspace_ip_rules_at")
}

// dropPersonal deletes what every replica keeps compiled, and has them forget it: mark is
// the column of the instance that says when such rows changed.
func dropPersonal(ctx context.Context, tx *sqlstore.Tx, owner user.ID, table, mark string) error {
	n, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE org_id`+OfPersonal, owner.String())
	if err == nil && n > 0 {
		_, err = tx.Exec(ctx, `UPDATE instance SET revision = revision + 1, `+mark+` = revision + 1 WHERE id = 1`)
	}
	if err != nil {
		return fmt.Errorf("delete the %s of a personal workspace: %w", table, err)
	}
	return nil
}

// GiveUpPersonalSlug reserves the slug of a personal workspace that is to be deleted.
func GiveUpPersonalSlug(ctx context.Context, tx *sqlstore.Tx, owner user.ID) error {
	org, err := userWorkspaces{tx}.Personal(ctx, owner)
	if err != nil || org == "" {
		return err
	}
	return repository{tx}.reserve(ctx, workspace.Snapshot{ID: org})
}

// HoldWorkspace holds off the deletion of a workspace, for what no key ties to it;
// the instance has none. It fails with workspace.ErrNotFound.
func HoldWorkspace(ctx context.Context, tx *sqlstore.Tx, org workspace.ID) error {
	if org == "" {
		return nil
	}
	var locked []workspace.ID
	if err := tx.List(ctx, &locked, `SELECT id FROM workspaces WHERE id = ? AND deleted_at IS NULL {for update}`, org.String()); err != nil {
		return fmt.Errorf("lock a workspace: %w", err)
	}
	if len(locked) == 0 {
		return workspace.ErrNotFound
	}
	return nil
}
