package sqlstore

import (
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// WaysIn tells how people can still log in.
func (t *Tx) WaysIn() outbound.WaysIn { return waysIn{t} }

type waysIn struct{ tx *Tx }

// Left looks under a lock of the user's row.
func (r waysIn) Left(ctx context.Context, owner user.ID, providers []string) (bool, error) {
	if err := r.tx.lockAccount(ctx, owner); err != nil {
		return false, err
	}
	id := owner.String()
	var password bool
	err := r.tx.q.get(ctx, &password, `SELECT EXISTS (SELECT 1 FROM credentials WHERE user_id = ? AND hash <> '')`, id)
	if err != nil {
		return false, fmt.Errorf("look for a password: %w", err)
	}
	if password {
		return true, nil
	}
	var linked []string
	if err := r.tx.q.list(ctx, &linked, `SELECT provider FROM identities WHERE user_id = ?`, id); err != nil {
		return false, fmt.Errorf("look for linked identities: %w", err)
	}
	if slices.ContainsFunc(linked, func(at string) bool { return slices.Contains(providers, at) }) {
		return true, nil
	}
	held, err := passkeysOf(ctx, r.tx.q, owner)
	return slices.ContainsFunc(held, func(one passkey.Snapshot) bool { return one.Record.UserVerified }), err
}

// lockAccount holds off every other unit of work that locks the same account.
func (t *Tx) lockAccount(ctx context.Context, owner user.ID) error {
	var locked []string
	if err := t.q.list(ctx, &locked, `SELECT id FROM users WHERE id = ? {for update}`, owner.String()); err != nil {
		return fmt.Errorf("lock an account: %w", err)
	}
	return nil
}
