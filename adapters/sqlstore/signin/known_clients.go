package signin

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// KnownClients returns the repository of the browsers and apps by which users have signed in.
func KnownClients(tx *sqlstore.Tx) signin.KnownClients { return knownClients{tx} }

type knownClients struct{ tx *sqlstore.Tx }

// Note records a login by a client that is new or already known.
func (r knownClients) Note(ctx context.Context, owner user.ID, client string, now time.Time) error {
	_, err := r.tx.Exec(ctx, `
		INSERT INTO known_clients (user_id, client, seen_at) VALUES (?, ?, ?)
		ON CONFLICT (user_id, client) DO UPDATE SET seen_at = excluded.seen_at`, owner.String(), client, sqlstore.At(now))
	if err != nil {
		return fmt.Errorf("note what a user signs in with: %w", err)
	}
	return nil
}

// Drop removes a known client.
func (r knownClients) Drop(ctx context.Context, owner user.ID, client string) error {
	if _, err := r.tx.Exec(ctx, `DELETE FROM known_clients WHERE user_id = ? AND client = ?`, owner.String(), client); err != nil {
		return fmt.Errorf("forget what a user signed in with: %w", err)
	}
	return nil
}

// Forget removes all known clients of a user, except for the latest ones.
func (r knownClients) Forget(ctx context.Context, owner user.ID, but int) error {
	_, err := r.tx.Exec(ctx, `
		DELETE FROM known_clients WHERE user_id = ? AND client NOT IN (
			SELECT client FROM known_clients WHERE user_id = ? ORDER BY seen_at DESC, client LIMIT ?)`, owner.String(), owner.String(), but)
	if err != nil {
		return fmt.Errorf("forget what a user signed in with: %w", err)
	}
	return nil
}
