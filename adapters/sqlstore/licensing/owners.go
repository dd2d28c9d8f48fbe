package licensing

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/billing"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/licensing"
)

// Owners returns the repository of the users and workspaces that own licenses.
func Owners(tx *sqlstore.Tx) licensing.Owners { return owners{tx} }

type owners struct{ tx *sqlstore.Tx }

// Hold locks the row of an owner, so that its deletion waits, and reports whether it exists.
func (r owners) Hold(ctx context.Context, one license.Owner) (bool, error) {
	var found []string
	var err error
	switch {
	case one.UserID != "":
		err = r.tx.List(ctx, &found, `SELECT id FROM users WHERE id = ? {for key share}`, one.UserID.String())
	case one.OrgID != "":
		err = r.tx.List(ctx, &found, `SELECT id FROM workspaces WHERE id = ? AND deleted_at IS NULL {for key share}`, one.OrgID.String())
	default:
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("hold the owner of a license: %w", err)
	}
	return len(found) > 0, nil
}

// Bound returns the account to which an email address is bound, "" for none, under a lock of the account's
// row, so that the address is not bound meanwhile.
func (r owners) Bound(ctx context.Context, address email.Address) (user.ID, error) {
	var found []struct {
		ID    user.ID `db:"id"`
		Bound bool    `db:"bound"`
	}
	err := r.tx.List(ctx, &found, `SELECT id, (email_verified AND email_bound) AS bound FROM users WHERE email_index = ? {for update}`,
		r.tx.Store().EmailIndex(address))
	if err != nil {
		return "", fmt.Errorf("find the account of an address: %w", err)
	}
	if len(found) == 0 || !found[0].Bound {
		return "", nil
	}
	return found[0].ID, nil
}

// Revoke revokes the licenses of an owner.
func (r owners) Revoke(ctx context.Context, one license.Owner) error {
	return RevokeOf(ctx, r.tx, `user_id = ? OR owner_org_id = ?`, one.UserID.String(), one.OrgID.String())
}

// Cancel queues the cancellation of the subscriptions of an owner.
func (r owners) Cancel(ctx context.Context, one license.Owner) error {
	return billing.CancelOf(ctx, r.tx, `user_id = ? OR buyer_org_id = ?`, one.UserID.String(), one.OrgID.String())
}

// Move moves the licenses and named seats of one account to another, and returns the number of licenses. If
// both accounts have a seat of the same license, that of the first is freed.
func Move(ctx context.Context, tx *sqlstore.Tx, from, to user.ID) (int, error) {
	moved, err := tx.Exec(ctx, `UPDATE licenses SET user_id = ?, updated_at = ?, version = version + 1 WHERE user_id = ?`,
		to.String(), sqlstore.At(tx.Store().Clock().Now()), from.String())
	if err != nil {
		return 0, fmt.Errorf("move the licenses of an account: %w", err)
	}
	return int(moved), moveSeats(ctx, tx, from.String(), from, to)
}

// RevokeOf revokes the licenses of owners that are about to be deleted; which is the condition on the rows of
// licenses. It locks them in the order of their identifiers, so that concurrent calls do not deadlock.
func RevokeOf(ctx context.Context, tx *sqlstore.Tx, which string, args ...any) error {
	var held []licenseRow
	err := tx.List(ctx, &held, `SELECT `+licenseColumns+` FROM licenses WHERE status <> 'revoked' AND (`+which+`) ORDER BY id {for update}`, args...)
	if err != nil {
		return fmt.Errorf("list the licenses of an owner: %w", err)
	}
	for i := range held {
		s, err := held[i].snapshot(tx.Store())
		if err != nil {
			return err
		}
		l := license.Restore(s, held[i].Version)
		l.Revoke("The owner was deleted.", tx.Store().Clock().Now())
		if err := Licenses(tx).Save(ctx, l); err != nil {
			return err
		}
	}
	return nil
}
