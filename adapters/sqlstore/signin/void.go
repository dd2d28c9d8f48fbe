package signin

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/user"
)

// Void deletes the credentials of a user under a lock of the row of the account, so that one added concurrently
// is either deleted too, or added afterwards.
func (r waysIn) Void(ctx context.Context, owner user.ID, now time.Time) error {
	if err := people.LockAccount(ctx, r.tx, owner); err != nil {
		return err
	}
	for _, table := range []string{"passkeys", "second_factors", "identities", "devices", "known_clients", "dpop_bindings", "oauth_grants", "oauth_devices", "oauth_consents", "impersonation_consents"} {
		if _, err := r.tx.Exec(ctx, `DELETE FROM `+table+` WHERE user_id = ?`, owner.String()); err != nil {
			return fmt.Errorf("void the %s of a user: %w", table, err)
		}
	}
	return r.voidPersonal(ctx, owner, now)
}

// voidPersonal removes what could give others access to the personal workspace, or affect its owner: members,
// roles, policies, mail templates and branding. Its apps are disabled and lose their credentials.
func (r waysIn) voidPersonal(ctx context.Context, owner user.ID, now time.Time) error {
	if err := workspaces.ForgetSecrets(ctx, r.tx, workspaces.OfPersonal, owner.String()); err != nil {
		return err
	}
	of, at := owner.String(), sqlstore.At(now)
	for _, one := range []struct {
		statement string
		args      []any
	}{
		{`DELETE FROM members WHERE user_id <> ? AND org_id` + workspaces.OfPersonal, []any{of, of}},
		{`DELETE FROM member_groups WHERE org_id` + workspaces.OfPersonal, []any{of}},
		{`DELETE FROM roles WHERE org_id` + workspaces.OfPersonal, []any{of}},
		{`DELETE FROM own_permissions WHERE org_id` + workspaces.OfPersonal, []any{of}},
		{`UPDATE members SET groups = '' WHERE org_id` + workspaces.OfPersonal, []any{of}},
		// If nothing was ever defined, nothing has changed.
		{`UPDATE workspaces SET rights = rights + 1 WHERE rights > 0 AND id` + workspaces.OfPersonal, []any{of}},
		{`DELETE FROM mail_domains WHERE org_id` + workspaces.OfPersonal, []any{of}},
		{`DELETE FROM invitations WHERE org_id` + workspaces.OfPersonal, []any{of}},
		{`DELETE FROM dpop_bindings WHERE app_id IN (SELECT id FROM apps WHERE org_id` + workspaces.OfPersonal + `)`, []any{of}},
		{`UPDATE apps SET enabled = FALSE, secrets = '', jwks = '', jwks_uri = '', registration = '', version = version + 1 WHERE org_id` + workspaces.OfPersonal, []any{of}},
		{`UPDATE apps SET revoked_before = ? WHERE (revoked_before IS NULL OR revoked_before < ?) AND org_id` + workspaces.OfPersonal, []any{at, at, of}},
		{`UPDATE workspaces SET branding = '', allowed_methods = '', default_role = 'member', version = version + 1 WHERE id` + workspaces.OfPersonal, []any{of}},
	} {
		if _, err := r.tx.Exec(ctx, one.statement, one.args...); err != nil {
			return fmt.Errorf("void the personal workspace of a user: %w", err)
		}
	}
	if err := workspaces.DropPersonalTuples(ctx, r.tx, owner); err != nil {
		return err
	}
	return workspaces.DropPersonalRules(ctx, r.tx, owner)
}
