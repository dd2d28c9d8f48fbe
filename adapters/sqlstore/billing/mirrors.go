package billing

import (
	"context"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// Mirrors returns the mapping of our prices and coupons to the identifiers of processors.
func Mirrors(store *sqlstore.Store) commerce.Mirrors { return mirrors{store} }

type mirrors struct{ store *sqlstore.Store }

// Remotes returns the processor's identifiers of an object of ours: the current one, then earlier ones.
func (m mirrors) Remotes(ctx context.Context, at billing.Account, own string) (found []string, err error) {
	named := remoteArgs(at, own)
	err = m.store.Reader(ctx).List(ctx, &found, `SELECT remote_id FROM (
			SELECT 0 AS before, remote_id FROM processor_mirrors WHERE processor = ? AND mode = ? AND own_id = ?
			UNION ALL SELECT 1, remote_id FROM processor_names WHERE processor = ? AND mode = ? AND own_id = ?
		) AS names ORDER BY before`, append(named, named...)...)
	return found, sqlstore.Wrap("read the identifiers of a processor", err)
}

// Recurring returns the recurring price of a workspace with an identifier of a processor, preferably of
// one product; zero for none.
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
		return billing.PriceRef{}, sqlstore.Wrap("read a price by its identifier at a processor", err)
	}
	return billing.PriceRef{ID: found[0].ID, ProductID: found[0].ProductID}, nil
}

// Keep stores an identifier of a processor, as the current one and in the history.
func (m mirrors) Keep(ctx context.Context, at billing.Account, own, remote string) error {
	named := append(remoteArgs(at, own), remote)
	return sqlstore.Wrap("store the identifier of a processor", m.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO processor_names (processor, mode, own_id, remote_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, named...); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO processor_mirrors (processor, mode, own_id, remote_id) VALUES (?, ?, ?, ?)
			ON CONFLICT (processor, mode, own_id) DO UPDATE SET remote_id = excluded.remote_id`, named...)
		return err
	}))
}
