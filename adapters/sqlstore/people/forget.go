package people

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// Uses returns what is known of the use of credentials.
func Uses(tx *sqlstore.Tx) people.Uses { return uses{tx} }

type uses struct{ tx *sqlstore.Tx }

// Forget removes what is known.
func (r uses) Forget(ctx context.Context, owner user.ID) error { return forgetUses(ctx, r.tx, owner) }

// forgetUses removes what is known of the use of an account's API keys, and of the keys
// and secrets in its personal workspace. Before these are deleted it is called, not after.
func forgetUses(ctx context.Context, tx *sqlstore.Tx, owner user.ID) error {
	var keys []string
	if err := tx.List(ctx, &keys, `SELECT id FROM api_keys WHERE user_id = ? OR org_id`+workspaces.OfPersonal, owner.String(), owner.String()); err != nil {
		return fmt.Errorf("list the API keys of an account: %w", err)
	}
	if err := tx.ForgetUses(ctx, keys); err != nil {
		return err
	}
	return ForgetSecrets(ctx, tx, owner)
}

// ForgetSecrets removes what is known of the use of the secrets in a personal workspace.
// It is called before they are deleted.
func ForgetSecrets(ctx context.Context, tx *sqlstore.Tx, owner user.ID) error {
	var subjects, encoded []string
	if err := tx.List(ctx, &encoded, `SELECT secrets FROM apps WHERE org_id`+workspaces.OfPersonal, owner.String()); err != nil {
		return fmt.Errorf("list the secrets of a personal workspace: %w", err)
	}
	for _, one := range encoded {
		secrets, err := sqlstore.DecodeList[app.Secret](one)
		if err != nil {
			return fmt.Errorf("decode the secrets of an app: %w", err)
		}
		for _, s := range secrets {
			subjects = append(subjects, s.ID.String())
		}
	}
	return tx.ForgetUses(ctx, subjects)
}
