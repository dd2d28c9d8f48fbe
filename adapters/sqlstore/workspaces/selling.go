package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/workspace"
)

// EndSelling fails with workspace.ErrSells while somebody buys of workspaces that are about to
// be deleted, and are locked; which is the condition on their identifiers. A page that expired
// long ago, of which nothing was heard, is not waited for.
func EndSelling(ctx context.Context, tx *sqlstore.Tx, which, of string) error {
	var found []string
	err := tx.List(ctx, &found, `SELECT id FROM subscriptions WHERE org_id`+which+` AND status NOT IN ('ended', 'incomplete')
		UNION ALL SELECT id FROM checkouts WHERE org_id`+which+` AND status = 'open' AND expires_at > ? LIMIT 1`,
		of, of, sqlstore.At(tx.Store().Clock().Now().Add(-billing.LookAgain)))
	if err != nil {
		return fmt.Errorf("look for somebody who buys of a workspace: %w", err)
	}
	if len(found) > 0 {
		return workspace.ErrSells
	}
	return nil
}
