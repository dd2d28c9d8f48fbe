package people

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
)

// LockAccount locks an account until the transaction ends.
func LockAccount(ctx context.Context, tx *sqlstore.Tx, owner user.ID) error {
	var locked []string
	if err := tx.List(ctx, &locked, `SELECT id FROM users WHERE id = ? {for update}`, owner.String()); err != nil {
		return fmt.Errorf("lock an account: %w", err)
	}
	return nil
}
