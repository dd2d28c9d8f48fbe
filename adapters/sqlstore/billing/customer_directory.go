package billing

import (
	"context"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/ports/outbound/commerce"
)

// CustomerDirectory returns the directory of customers.
func CustomerDirectory(store *sqlstore.Store) commerce.CustomerDirectory {
	return customerDirectory{store}
}

type customerDirectory struct{ store *sqlstore.Store }

// Find reads the newest customer that matches. It fails with billing.ErrNoCustomer.
func (d customerDirectory) Find(ctx context.Context, q commerce.CustomerQuery) (billing.CustomerSnapshot, error) {
	f := sqlstore.Filter{}
	f.Where(live)
	f.Unless(q.ID == "", "id = ?", q.ID.String())
	f.Unless(q.Seller == "", "org_id = ?", q.Seller.String())
	f.Unless(q.Buyer.UserID == "", "user_id = ?", q.Buyer.UserID.String())
	f.Unless(q.Buyer.OrgID == "", "buyer_org_id = ?", q.Buyer.OrgID.String())
	row, err := one[customerRow](ctx, d.store.Reader(ctx), billing.ErrNoCustomer, `SELECT `+customerColumns+` FROM customers`+f.String()+sqlstore.Newest(1), f.Args...)
	if err != nil {
		return billing.CustomerSnapshot{}, err
	}
	return row.snapshot(d.store)
}

// List reads the customers of a seller, newest first.
func (d customerDirectory) List(ctx context.Context, q commerce.CustomersQuery) ([]billing.CustomerSnapshot, error) {
	f := sqlstore.Filter{}
	f.Where(live)
	f.Where("org_id = ?", q.Seller.String())
	f.Unless(q.Email.IsZero(), "email_index = ?", d.store.EmailIndex(q.Email))
	if q.Delinquent != nil {
		within := map[bool]string{true: "IN", false: "NOT IN"}[*q.Delinquent]
		f.Where("id "+within+" (SELECT s.customer_id FROM subscriptions s WHERE s.org_id = ? AND s.status = ?)", q.Seller.String(), string(billing.PastDue))
	}
	f.Unless(q.Before == "", "id < ?", q.Before.String())
	var found []customerRow
	if err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+customerColumns+` FROM customers`+f.String()+sqlstore.Newest(q.Limit), f.Args...); err != nil {
		return nil, sqlstore.Wrap("list customers", err)
	}
	return sqlstore.Map(found, func(r *customerRow) (billing.CustomerSnapshot, error) { return r.snapshot(d.store) })
}

// Owed returns the total of the open invoices of a customer in each currency.
func (d customerDirectory) Owed(ctx context.Context, of billing.CustomerID) ([]money.Amount, error) {
	var found []struct {
		Currency money.Currency `db:"currency"`
		Total    int64          `db:"total"`
	}
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT currency, CAST(SUM(total) AS BIGINT) AS total FROM invoices
		WHERE customer_id = ? AND status = ? GROUP BY currency ORDER BY currency`, of.String(), string(billing.InvoiceOpen))
	owed := make([]money.Amount, len(found))
	for i, one := range found {
		owed[i] = money.Of(one.Total, one.Currency)
	}
	return owed, sqlstore.Wrap("sum up the open invoices of a customer", err)
}
