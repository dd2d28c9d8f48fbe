package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/workspace"
)

// EndSelling fails with workspace.ErrSells if a workspace that is about to be deleted has a current
// subscription or an open checkout. The caller has locked the workspaces; which is the condition on
// their ids, with the parameter of. A checkout that expired more than billing.LookAgain ago is
// ignored.
func EndSelling(ctx context.Context, tx *sqlstore.Tx, which, of string) error {
	var found []string
	err := tx.List(ctx, &found, `SELECT id FROM subscriptions WHERE org_id`+which+` AND status NOT IN ('ended', 'incomplete')
		UNION ALL SELECT id FROM checkouts WHERE org_id`+which+` AND status = 'open' AND expires_at > ? LIMIT 1`,
		of, of, sqlstore.At(tx.Store().Clock().Now().Add(-billing.LookAgain)))
	if err != nil {
		return fmt.Errorf("look for sales of a workspace: %w", err)
	}
	if len(found) > 0 {
		return workspace.ErrSells
	}
	return nil
}
