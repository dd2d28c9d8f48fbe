package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/user"
)

// Void deletes under a lock of the user's row, so that what is being added
// meanwhile is deleted too, or comes after.
func (r waysIn) Void(ctx context.Context, owner user.ID) error {
	if err := r.tx.lockAccount(ctx, owner); err != nil {
		return err
	}
	for _, table := range []string{"passkeys", "identities", "second_factors", "devices", "api_keys"} {
		if _, err := r.tx.q.exec(ctx, `DELETE FROM `+table+` WHERE user_id = ?`, owner.String()); err != nil {
			return fmt.Errorf("void the %s of a user: %w", table, err)
		}
	}
	return nil
}
