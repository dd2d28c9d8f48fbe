package billing

import (
	"context"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	ports "gatehouse.internal/ports/outbound/billing"
)

// Mirrors returns what processors call our prices and coupons.
func Mirrors(store *sqlstore.Store) ports.Mirrors { return mirrors{store} }

type mirrors struct{ store *sqlstore.Store }

// Remotes returns the processor's identifiers, the one of now first.
func (m mirrors) Remotes(ctx context.Context, at billing.Account, own string) (found []string, err error) {
	named := remoteArgs(at, own)
	err = m.store.Reader(ctx).List(ctx, &found, `SELECT remote_id FROM (
			SELECT 0 AS before, remote_id FROM processor_mirrors WHERE processor = ? AND mode = ? AND own_id = ?
			UNION ALL SELECT 1, remote_id FROM processor_names WHERE processor = ? AND mode = ? AND own_id = ?
		) AS names ORDER BY before`, append(named, named...)...)
	return found, wrap("read what a processor calls something", err)
}

// Recurring returns our price.
func (m mirrors) Recurring(ctx context.Context, at billing.Account, remote string, of workspace.ID, first product.ID) (billing.PriceRef, error) {
	named := remoteArgs(at, remote)
	var found []struct {
		ID        billing.PriceID `db:"id"`
		ProductID product.ID      `db:"product_id"`
	}
	err := m.store.Reader(ctx).List(ctx, &found, `SELECT id, product_id FROM prices WHERE id IN (
			SELECT own_id FROM processor_mirrors WHERE processor = ? AND mode = ? AND remote_id = ?
			UNION ALL SELECT own_id FROM processor_names WHERE processor = ? AND mode = ? AND remote_id = ?
		) AND org_id = ? AND charged <> 'once' ORDER BY CASE WHEN product_id = ? THEN 0 ELSE 1 END, id DESC LIMIT 1`,
		append(append(named, named...), of.String(), first.String())...)
	if err != nil || len(found) == 0 {
		return billing.PriceRef{}, wrap("read what a processor means by a price", err)
	}
	return billing.PriceRef{ID: found[0].ID, ProductID: found[0].ProductID}, nil
}

// Keep stores both.
func (m mirrors) Keep(ctx context.Context, at billing.Account, own, remote string) error {
	named := append(remoteArgs(at, own), remote)
	return wrap("store what a processor calls something", m.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO processor_names (processor, mode, own_id, remote_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, named...); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO processor_mirrors (processor, mode, own_id, remote_id) VALUES (?, ?, ?, ?)
			ON CONFLICT (processor, mode, own_id) DO UPDATE SET remote_id = excluded.remote_id`, named...)
		return err
	}))
}
