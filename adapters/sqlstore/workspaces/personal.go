package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// OfPersonal is the condition on a column that it is the id of the personal workspace of a user,
// its parameter.
const OfPersonal = ` IN (SELECT id FROM workspaces WHERE personal_of = ?)`

// DropPersonalRules deletes the configuration of a personal workspace in tables that also hold that
// of the instance, and so have no foreign key which would delete it with the workspace. It locks
// the row of the workspace, so that configuration set meanwhile is deleted too, or finds no
// workspace.
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

// dropPersonal deletes rows that every replica has cached, and invalidates the caches; mark is the
// column of the instance with the revision at which such rows changed last.
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

// ReservePersonalSlug reserves the slug of the personal workspace of a user who is deleted.
func ReservePersonalSlug(ctx context.Context, tx *sqlstore.Tx, owner user.ID) error {
	org, err := userWorkspaces{tx}.Personal(ctx, owner)
	if err != nil || org == "" {
		return err
	}
	return repository{tx}.reserve(ctx, workspace.Snapshot{ID: org})
}

// HoldWorkspace locks the row of a workspace, so that it is not deleted before the transaction
// ends. It is for rows without a foreign key to the workspace, and does nothing for the instance,
// "". It fails with workspace.ErrNotFound.
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
