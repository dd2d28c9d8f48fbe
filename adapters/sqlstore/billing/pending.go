package billing

import (
	"context"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// Look stores when the processor is to be asked about a sale.
func (r checkouts) Look(ctx context.Context, id billing.CheckoutID, at time.Time) error {
	_, err := r.tx.Exec(ctx, `UPDATE checkouts SET look_at = ? WHERE id = ? AND look_at IS DISTINCT FROM ?`, sqlstore.At(at), id.String(), sqlstore.At(at))
	return sqlstore.Wrap("store when a sale is to be looked at", err)
}

// PendingSales returns the queue of sales about which a processor is to be asked.
func PendingSales(store *sqlstore.Store) commerce.PendingSales { return pendingSales{store} }

type pendingSales struct{ store *sqlstore.Store }

// Claim claims sales that are due, for billing.LookAgain.
func (l pendingSales) Claim(ctx context.Context, most int, now time.Time) (claimed []billing.CheckoutID, err error) {
	err = l.store.Transact(ctx, func(tx *sqlstore.Tx) error {
		return tx.List(ctx, &claimed, sqlstore.BatchOf("id", "checkouts WHERE look_at <= ? ORDER BY look_at")+
			`UPDATE checkouts SET look_at = ? WHERE id IN (SELECT id FROM batch) RETURNING id`,
			sqlstore.At(now), most, sqlstore.At(now.Add(billing.LookAgain)))
	})
	return claimed, sqlstore.Wrap("claim sales to look at", err)
}

// Sales lists sales that have an identifier of a processor, newest first.
func (l pendingSales) Sales(ctx context.Context, q commerce.SaleRefreshQuery) ([]billing.CheckoutSnapshot, error) {
	f := sqlstore.Filter{}
	f.Where(live)
	f.Where("processor_id <> ''")
	f.Unless(q.Org == "", "org_id = ?", q.Org.String())
	f.Unless(q.Checkout == "", "id = ?", q.Checkout.String())
	f.Unless(q.Customer == "", "customer_id = ?", q.Customer.String())
	f.Unless(q.Processor == "", "processor = ?", string(q.Processor))
	f.Unless(q.Before == "", "id < ?", q.Before.String())
	var found []checkoutRow
	err := l.store.Reader(ctx).List(ctx, &found, `SELECT `+checkoutColumns+` FROM checkouts`+f.String()+sqlstore.Newest(q.Limit), f.Args...)
	if err != nil {
		return nil, sqlstore.Wrap("list sales", err)
	}
	return sqlstore.Map(found, (*checkoutRow).snapshot)
}
