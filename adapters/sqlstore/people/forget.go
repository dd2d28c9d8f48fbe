package people

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// Uses returns the recorded uses of credentials.
func Uses(tx *sqlstore.Tx) people.Uses { return uses{tx} }

type uses struct{ tx *sqlstore.Tx }

// Forget removes the recorded uses.
func (r uses) Forget(ctx context.Context, owner user.ID) error { return forgetUses(ctx, r.tx, owner) }

// forgetUses removes the recorded uses of an account's API keys, and of the keys and secrets in
// its personal workspace. It must be called before these are deleted.
func forgetUses(ctx context.Context, tx *sqlstore.Tx, owner user.ID) error {
	var keys []string
	if err := tx.List(ctx, &keys, `SELECT id FROM api_keys WHERE user_id = ?`, owner.String()); err != nil {
		return fmt.Errorf("list the API keys of an account: %w", err)
	}
	if err := tx.ForgetUses(ctx, keys); err != nil {
		return err
	}
	return workspaces.ForgetUses(ctx, tx, workspaces.OfPersonal, owner.String())
}
