package workspaces

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
)

// ForgetUses removes the recorded uses of the API keys and app secrets of workspaces; which is the
// condition on their ids, with the parameter of. It is called before the keys and apps are deleted.
func ForgetUses(ctx context.Context, tx *sqlstore.Tx, which, of string) error {
	var keys []string
	if err := tx.List(ctx, &keys, `SELECT id FROM api_keys WHERE org_id`+which, of); err != nil {
		return fmt.Errorf("list the API keys of a workspace: %w", err)
	}
	if err := tx.ForgetUses(ctx, keys); err != nil {
		return err
	}
	return ForgetSecrets(ctx, tx, which, of)
}

// ForgetSecrets is ForgetUses for app secrets alone.
func ForgetSecrets(ctx context.Context, tx *sqlstore.Tx, which, of string) error {
	var subjects, encoded []string
	if err := tx.List(ctx, &encoded, `SELECT secrets FROM apps WHERE org_id`+which, of); err != nil {
		return fmt.Errorf("list the secrets of a workspace: %w", err)
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
