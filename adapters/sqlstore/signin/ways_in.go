package signin

import (
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// LoginMethods returns the repository that finds how a user can still sign in.
func LoginMethods(tx *sqlstore.Tx) signin.LoginMethods { return waysIn{tx} }

type waysIn struct{ tx *sqlstore.Tx }

// Left reports whether a user can still sign in, under a lock of the row of the account.
func (r waysIn) Left(ctx context.Context, owner user.ID, providers []string) (bool, error) {
	if err := people.LockAccount(ctx, r.tx, owner); err != nil {
		return false, err
	}
	id := owner.String()
	var password bool
	err := r.tx.Get(ctx, &password, `SELECT EXISTS (SELECT 1 FROM credentials WHERE user_id = ? AND hash <> '')`, id)
	if err != nil {
		return false, fmt.Errorf("look for a password: %w", err)
	}
	if password {
		return true, nil
	}
	var linked []string
	if err := r.tx.List(ctx, &linked, `SELECT provider FROM identities WHERE user_id = ?`, id); err != nil {
		return false, fmt.Errorf("look for linked identities: %w", err)
	}
	if slices.ContainsFunc(linked, func(at string) bool { return slices.Contains(providers, at) }) {
		return true, nil
	}
	held, err := passkeysOf(ctx, r.tx.Store(), r.tx.Queries, owner)
	return slices.ContainsFunc(held, func(one passkey.Snapshot) bool { return one.Record.SignsIn() }), err
}
