package billing

import (
	"context"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/user"
)

// CancelOf queues the cancellation of the subscriptions of buyers that are about to be deleted; which is
// the condition on the rows of subscriptions. The processors are called after the transaction.
func CancelOf(ctx context.Context, tx *sqlstore.Tx, which string, args ...any) error {
	var found []subscriptionRow
	err := tx.List(ctx, &found, `SELECT `+subscriptionColumns+` FROM subscriptions WHERE `+current+` AND (`+which+`) ORDER BY id`, args...)
	if err != nil {
		return sqlstore.Wrap("list the subscriptions of a buyer", err)
	}
	now := tx.Store().Clock().Now()
	for i := range found {
		sale := found[i].sale()
		err := Intents(tx).Put(ctx, billing.Intent{
			ID: billing.NewIntentID(tx.Store().IDs()), Kind: billing.IntentCancel, CheckoutID: sale.CheckoutID, Subject: found[i].ID.String(),
			Account: sale.Account, CreatedAt: now,
		}, now)
		if err != nil {
			return err
		}
	}
	return nil
}

// Move moves the purchases of one account to another, and returns how many customers it moved. If both
// are customers of a seller, new purchases belong to the target's own customer.
func Move(ctx context.Context, tx *sqlstore.Tx, from, to user.ID) (int, error) {
	moved, err := tx.Exec(ctx, `UPDATE customers SET user_id = ?, version = version + 1, buyer = CASE WHEN EXISTS (SELECT 1 FROM customers o
			WHERE o.org_id = customers.org_id AND o.processor = customers.processor AND o.mode = customers.mode AND o.buyer = ?) THEN buyer ELSE ? END
		WHERE user_id = ?`, to.String(), to.String(), to.String(), from.String())
	if err != nil {
		return 0, sqlstore.Wrap("move the customers of an account", err)
	}
	for _, table := range []string{"checkouts", "subscriptions", "invoices", "payments", "refunds"} {
		if _, err := tx.Exec(ctx, `UPDATE `+table+` SET user_id = ?, version = version + 1 WHERE user_id = ?`, to.String(), from.String()); err != nil {
			return 0, sqlstore.Wrap("move what an account bought", err)
		}
	}
	return int(moved), nil
}
