package billing

import (
	"context"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// Mirrors returns what processors call our prices and coupons.
func Mirrors(store *sqlstore.Store) ports.Mirrors { return mirrors{store} }

type mirrors struct{ store *sqlstore.Store }

func (m mirrors) one(ctx context.Context, column, condition string, at billing.Account, id string) (string, error) {
	var found []string
	err := m.store.Reader(ctx).List(ctx, &found, `SELECT `+column+` FROM processor_mirrors WHERE processor = ? AND mode = ? AND `+condition+
		` ORDER BY own_id DESC LIMIT 1`, remoteArgs(at, id)...)
	if err != nil || len(found) == 0 {
		return "", wrap("read what a processor calls something", err)
	}
	return found[0], nil
}

// Remote returns the processor's identifier.
func (m mirrors) Remote(ctx context.Context, at billing.Account, own string) (string, error) {
	return m.one(ctx, "remote_id", "own_id = ?", at, own)
}

// Own returns our identifier.
func (m mirrors) Own(ctx context.Context, at billing.Account, remote string) (string, error) {
	return m.one(ctx, "own_id", "remote_id = ?", at, remote)
}

// Keep stores both.
func (m mirrors) Keep(ctx context.Context, at billing.Account, own, remote string) error {
	return wrap("store what a processor calls something", m.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO processor_mirrors (processor, mode, own_id, remote_id) VALUES (?, ?, ?, ?)
			ON CONFLICT (processor, mode, own_id) DO UPDATE SET remote_id = excluded.remote_id`,
			string(at.Processor), string(at.Mode), own, remote)
		return err
	}))
}
