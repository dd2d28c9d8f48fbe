package people

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/billing"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/relation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// Merges returns the port that moves rows between accounts.
func Merges(tx *sqlstore.Tx) people.Merges { return merges{tx} }

type merges struct{ tx *sqlstore.Tx }

// Keys moves API keys. Their recorded uses stay valid.
func (r merges) Keys(ctx context.Context, from, to user.ID) (int, error) {
	n, err := r.tx.Exec(ctx, `UPDATE api_keys SET user_id = ?, version = version + 1 WHERE user_id = ?`, to.String(), from.String())
	if err != nil {
		return 0, fmt.Errorf("move the API keys of an account: %w", err)
	}
	return int(n), nil
}

// Licenses moves licenses and seats.
func (r merges) Licenses(ctx context.Context, from, to user.ID) (int, error) {
	return licensing.Move(ctx, r.tx, from, to)
}

// Customers moves customers with their purchases.
func (r merges) Customers(ctx context.Context, from, to user.ID) (int, error) {
	return billing.Move(ctx, r.tx, from, to)
}

// Invitations moves the invitations that a user sent and that have not ended.
func (r merges) Invitations(ctx context.Context, from, to user.ID) (int, error) {
	n, err := r.tx.Exec(ctx, `UPDATE invitations SET invited_by = ?, version = version + 1 WHERE invited_by = ? AND invited_by <> '' AND ended = ''`,
		to.String(), from.String())
	if err != nil {
		return 0, fmt.Errorf("move the invitations that an account sent: %w", err)
	}
	return int(n), nil
}

// Notices moves notices. Their sealed columns are bound to their own ids, and stay readable.
func (r merges) Notices(ctx context.Context, from, to user.ID) (int, error) {
	n, err := r.tx.Exec(ctx, `UPDATE notifications SET user_id = ? WHERE user_id = ?`, to.String(), from.String())
	if err != nil {
		return 0, fmt.Errorf("move the notices of an account: %w", err)
	}
	return int(n), nil
}

// Relations copies relation tuples. The original ones are deleted with the account.
func (r merges) Relations(ctx context.Context, from, to user.ID) (int, error) {
	return workspaces.CopyRelations(ctx, r.tx, relation.User(from.String()), relation.User(to.String()))
}
