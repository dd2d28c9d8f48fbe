package machines

import (
	"context"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// Strangers returns the repository of apps that no member of a workspace registered.
func Strangers(tx *sqlstore.Tx) machines.Strangers { return strangers{quotas{tx}} }

type strangers struct{ quotas }

// Home returns the workspace to which such apps belong: the personal one of the first superadmin. It fails with
// workspace.ErrNotFound.
func (r strangers) Home(ctx context.Context) (workspace.ID, error) {
	var found string
	err := r.tx.One(ctx, &found, workspace.ErrNotFound, `SELECT w.id FROM users u JOIN workspaces w ON w.personal_of = u.id WHERE u.superadmin ORDER BY u.id LIMIT 1`)
	if err != nil {
		return "", err
	}
	return workspace.ID(found), nil
}

// Count counts such apps of a workspace under a lock of its row.
func (r strangers) Count(ctx context.Context, org workspace.ID) (int, error) {
	return r.count(ctx, org, `SELECT COUNT(*) FROM apps WHERE org_id = ? AND origin <> ''`, org.String())
}

// Unused returns the oldest such app without a consent. It fails with app.ErrNotFound.
func (r strangers) Unused(ctx context.Context, org workspace.ID) (app.ID, error) {
	var found string
	err := r.tx.One(ctx, &found, app.ErrNotFound, `SELECT a.id FROM apps a WHERE a.org_id = ? AND a.origin <> ''
		AND NOT EXISTS (SELECT 1 FROM oauth_consents c WHERE c.app_id = a.id) ORDER BY a.id LIMIT 1`, org.String())
	if err != nil {
		return "", err
	}
	return app.ID(found), nil
}
