package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Void deletes under a lock of the user's row, so that what is being added
// meanwhile is deleted too, or comes after.
func (r waysIn) Void(ctx context.Context, owner user.ID) error {
	if err := r.tx.lockAccount(ctx, owner); err != nil {
		return err
	}
	for _, table := range []string{"passkeys", "identities", "devices", "api_keys"} {
		if _, err := r.tx.q.exec(ctx, `DELETE FROM `+table+` WHERE user_id = ?`, owner.String()); err != nil {
			return fmt.Errorf("void the %s of a user: %w", table, err)
		}
	}
	return r.voidPersonal(ctx, owner)
}

// voidPersonal does the same to the personal workspace: its apps act for it, its
// policies lock out, its templates and its look make mails and pages.
func (r waysIn) voidPersonal(ctx context.Context, owner user.ID) error {
	for _, statement := range []string{
		`UPDATE apps SET enabled = FALSE, version = version + 1 WHERE enabled AND org_id` + ofPersonal,
		`UPDATE workspaces SET branding = '' WHERE id` + ofPersonal,
	} {
		if _, err := r.tx.q.exec(ctx, statement, owner.String()); err != nil {
			return fmt.Errorf("void the personal workspace of a user: %w", err)
		}
	}
	return r.tx.dropPersonalRules(ctx, owner)
}

const ofPersonal = ` IN (SELECT id FROM workspaces WHERE personal_of = ?)`

// dropPersonalRules deletes what stands beside that of the instance, so that no key
// deletes it with the workspace. It looks under a lock of that row, so that what is
// being set meanwhile is deleted too, or finds no workspace any more.
func (t *Tx) dropPersonalRules(ctx context.Context, owner user.ID) error {
	var locked []workspace.ID
	if err := t.q.list(ctx, &locked, `SELECT id FROM workspaces WHERE personal_of = ? {for update}`, owner.String()); err != nil {
		return fmt.Errorf("lock a personal workspace: %w", err)
	}
	for _, table := range []string{"policies", "email_templates"} {
		if _, err := t.q.exec(ctx, `DELETE FROM `+table+` WHERE org_id`+ofPersonal, owner.String()); err != nil {
			return fmt.Errorf("delete the %s of a personal workspace: %w", table, err)
		}
	}
	return nil
}

// holdWorkspace holds off the deletion of a workspace, for what no key ties to it;
// the instance has none. It fails with workspace.ErrNotFound.
func (t *Tx) holdWorkspace(ctx context.Context, org workspace.ID) error {
	if org == "" {
		return nil
	}
	var locked []workspace.ID
	if err := t.q.list(ctx, &locked, `SELECT id FROM workspaces WHERE id = ? {for update}`, org.String()); err != nil {
		return fmt.Errorf("lock a workspace: %w", err)
	}
	if len(locked) == 0 {
		return workspace.ErrNotFound
	}
	return nil
}
