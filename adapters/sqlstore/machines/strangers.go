package machines

import (
	"context"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// Strangers returns the port for apps that nobody vouches for.
func Strangers(tx *sqlstore.Tx) machines.Strangers { return strangers{quotas{tx}} }

type strangers struct{ quotas }

// Home reads by the index of superadmins.
func (r strangers) Home(ctx context.Context) (workspace.ID, error) {
	var found string
	err := r.tx.One(ctx, &found, workspace.ErrNotFound, `SELECT w.id FROM users u JOIN workspaces w ON w.personal_of = u.id WHERE u.superadmin ORDER BY u.id LIMIT 1`)
	if err != nil {
		return "", err
	}
	return workspace.ID(found), nil
}

// Count counts under a lock of the workspace's row.
func (r strangers) Count(ctx context.Context, org workspace.ID) (int, error) {
	return r.count(ctx, org, `SELECT COUNT(*) FROM apps WHERE org_id = ? AND origin <> ''`, org.String())
}

// Unused reads the apps from the oldest on.
func (r strangers) Unused(ctx context.Context, org workspace.ID) (app.ID, error) {
	var found string
	err := r.tx.One(ctx, &found, app.ErrNotFound, `SELECT a.id FROM apps a WHERE a.org_id = ? AND a.origin <> ''
		AND NOT EXISTS (SELECT 1 FROM oauth_consents c WHERE c.app_id = a.id) ORDER BY a.id LIMIT 1`, org.String())
	if err != nil {
		return "", err
	}
	return app.ID(found), nil
}
