package billing

import (
	"context"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	ports "gatehouse.internal/ports/outbound/billing"
)

// Mirrors returns what processors call our prices and coupons.
func Mirrors(store *sqlstore.Store) ports.Mirrors { return mirrors{store} }

type mirrors struct{ store *sqlstore.Store }

// Remotes returns the processor's identifiers, newest first.
func (m mirrors) Remotes(ctx context.Context, at billing.Account, own string) (found []string, err error) {
	err = m.store.Reader(ctx).List(ctx, &found, `SELECT remote_id FROM processor_names WHERE processor = ? AND mode = ? AND own_id = ?
		ORDER BY turn DESC`, remoteArgs(at, own)...)
	return found, wrap("read what a processor calls something", err)
}

// Price returns our price.
func (m mirrors) Price(ctx context.Context, at billing.Account, remote string, of product.ID) (billing.PriceID, error) {
	var found []billing.PriceID
	err := m.store.Reader(ctx).List(ctx, &found, `SELECT own_id FROM processor_names WHERE processor = ? AND mode = ? AND remote_id = ?
		AND own_id IN (SELECT p.id FROM prices p WHERE p.product_id = ?) ORDER BY own_id DESC LIMIT 1`, append(remoteArgs(at, remote), of.String())...)
	if err != nil || len(found) == 0 {
		return "", wrap("read what a processor means by a price", err)
	}
	return found[0], nil
}

// Keep stores both.
func (m mirrors) Keep(ctx context.Context, at billing.Account, own, remote string) error {
	return wrap("store what a processor calls something", m.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO processor_names (processor, mode, own_id, remote_id, turn)
			SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), COALESCE(MAX(turn), 0) + 1
			FROM processor_names WHERE processor = ? AND mode = ? AND own_id = ?
			ON CONFLICT (processor, mode, own_id, remote_id) DO UPDATE SET turn = excluded.turn`,
			append([]any{string(at.Processor), string(at.Mode), own, remote}, remoteArgs(at, own)...)...)
		return err
	}))
}
