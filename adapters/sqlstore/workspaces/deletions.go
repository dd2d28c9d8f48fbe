package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Deletions returns the repository that deletes workspaces.
func Deletions(tx *sqlstore.Tx) workspaces.Deletions { return deletions{tx} }

type deletions struct{ tx *sqlstore.Tx }

// Delete locks the keys and apps of the workspace before its row, because a request that acts by
// one of them has it locked and may go on to lock the workspace: the other order would deadlock.
// Keys and apps are few, by quota, and their tokens end with them. Sessions may be many: those
// that are not moved here are admitted as if they were.
func (r deletions) Delete(ctx context.Context, w *workspace.Workspace) error {
	org := w.ID().String()
	for _, table := range []string{"api_keys", "apps"} {
		if err := r.tx.HoldOffAll(ctx, `SELECT id FROM `+table+` WHERE org_id = ? ORDER BY id {for update}`, org); err != nil {
			return err
		}
	}
	if err := HoldWorkspace(ctx, r.tx, w.ID()); err != nil {
		return err
	}
	if err := EndSelling(ctx, r.tx, ` = ?`, org); err != nil {
		return err
	}
	n, err := r.tx.Exec(ctx, `UPDATE workspaces SET deleted_at = ?, version = version + 1 WHERE id = ? AND version = ?`,
		sqlstore.At(r.tx.Store().Clock().Now()), org, w.Version())
	switch {
	case err != nil:
		return fmt.Errorf("delete a workspace: %w", err)
	case n == 0:
		return aggregate.ErrConflict
	}
	if err := repository(r).reserve(ctx, workspace.Snapshot{ID: w.ID()}); err != nil {
		return err
	}
	if err := ForgetUses(ctx, r.tx, ` = ?`, org); err != nil {
		return err
	}
	if err := r.clear(ctx, org); err != nil {
		return err
	}
	return r.tx.RecordOf(ctx, w)
}

// clear removes the credentials and the configuration of a workspace, and moves its sessions. The
// slugs of its apps stay claimed, also those that the previous release stored without a claim.
func (r deletions) clear(ctx context.Context, org string) error {
	for _, statement := range []string{
		`INSERT INTO audiences (name, org_id, slug, epoch, version) SELECT slug, org_id, TRUE, 0, 1 FROM apps WHERE org_id = ? AND origin = '' ON CONFLICT DO NOTHING`,
		`DELETE FROM apps WHERE org_id = ?`,
		`DELETE FROM api_keys WHERE org_id = ?`,
		`DELETE FROM oauth_resources WHERE org_id = ?`,
		`DELETE FROM flows WHERE org_id = ?`,
		`DELETE FROM mail_domains WHERE org_id = ?`,
		`DELETE FROM ip_rules WHERE org_id = ?`,
		`DELETE FROM webhook_endpoints WHERE org_id = ?`,
		`DELETE FROM audit_streams WHERE org_id = ?`,
		`DELETE FROM policies WHERE org_id = ?`,
		`DELETE FROM email_templates WHERE org_id = ?`,
	} {
		if _, err := r.tx.Exec(ctx, statement, org); err != nil {
			return fmt.Errorf("clear a deleted workspace: %w", err)
		}
	}
	_, err := r.move(ctx, org, movedAtOnce)
	return err
}

// movedAtOnce is how many sessions are moved with the deletion. It is small, so that a refresh of
// one does not wait noticeably.
const movedAtOnce = 1000

// move moves at most so many sessions to the personal workspaces of their users, and returns how
// many it moved.
func (r deletions) move(ctx context.Context, org string, most int) (int64, error) {
	n, err := r.tx.Exec(ctx, moveSomeHome, org, org, most)
	if err != nil {
		return 0, fmt.Errorf("move sessions out of a deleted workspace: %w", err)
	}
	return n, nil
}

// emptiedTables returns the tables, with their keys, in which a workspace may have more rows than
// one transaction should remove. Rows of other tables are removed with that of the workspace.
func emptiedTables() []struct{ table, key string } {
	return []struct{ table, key string }{
		{"members", "org_id, user_id"},
		{"invitations", "id"},
		{"flow_runs", "id"},
		{"licenses", "id"},
		{"feature_overrides", "org_id, subject, key"},
		{"relation_tuples", "object, org_id, relation, kind, subject"},
	}
}

// Left counts the members.
func (r deletions) Left(ctx context.Context, org workspace.ID) (left int, err error) {
	if err := r.tx.Get(ctx, &left, `SELECT COUNT(*) FROM members WHERE org_id = ?`, org.String()); err != nil {
		return 0, fmt.Errorf("count what is left of a workspace: %w", err)
	}
	return left, nil
}

// Empty moves the sessions, then removes rows of the first of emptiedTables that has some. Locked
// rows are skipped, and removed with the workspace.
func (r deletions) Empty(ctx context.Context, org workspace.ID, most int) (removed int, gone bool, err error) {
	of := org.String()
	var deleted []string
	err = r.tx.List(ctx, &deleted, `SELECT id FROM workspaces WHERE id = ? AND deleted_at IS NOT NULL {for update}`, of)
	switch {
	case err != nil:
		return 0, false, fmt.Errorf("lock a deleted workspace: %w", err)
	case len(deleted) == 0:
		return 0, true, nil
	}
	if moved, err := r.move(ctx, of, most); err != nil || moved > 0 {
		return 0, false, err
	}
	for _, t := range emptiedTables() {
		n, err := r.tx.Exec(ctx, sqlstore.BatchOf(t.key, t.table+` WHERE org_id = ?`)+
			`DELETE FROM `+t.table+` WHERE (`+t.key+`) IN (SELECT `+t.key+` FROM batch)`, of, most)
		if err != nil {
			return 0, false, fmt.Errorf("remove %s of a deleted workspace: %w", t.table, err)
		}
		if n > 0 {
			return int(n), false, nil
		}
	}
	if _, err := r.tx.Exec(ctx, `DELETE FROM workspaces WHERE id = ?`, of); err != nil {
		return 0, false, fmt.Errorf("remove a deleted workspace: %w", err)
	}
	return 0, true, nil
}
