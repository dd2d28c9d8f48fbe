package billing

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// SaleDirectory returns the directory of checkouts, subscriptions, invoices, payments and refunds.
func SaleDirectory(store *sqlstore.Store) commerce.SaleDirectory { return saleDirectory{store} }

type saleDirectory struct{ store *sqlstore.Store }

// Checkout reads one checkout. It fails with billing.ErrNoCheckout.
func (d saleDirectory) Checkout(ctx context.Context, id billing.CheckoutID) (billing.CheckoutSnapshot, error) {
	row, err := one[checkoutRow](ctx, d.store.Reader(ctx), billing.ErrNoCheckout, readCheckout+` AND `+live, id.String())
	if err != nil {
		return billing.CheckoutSnapshot{}, err
	}
	return row.snapshot()
}

// Subscription reads one subscription. It fails with billing.ErrNoSubscription.
func (d saleDirectory) Subscription(ctx context.Context, id billing.SubscriptionID) (billing.SubscriptionSnapshot, error) {
	row, err := one[subscriptionRow](ctx, d.store.Reader(ctx), billing.ErrNoSubscription,
		`SELECT `+subscriptionColumns+` FROM subscriptions WHERE id = ? AND `+live, id.String())
	if err != nil {
		return billing.SubscriptionSnapshot{}, err
	}
	return row.snapshot(d.store)
}

// sides returns a filter for each party of the sales that is asked for: the seller, the buying user and
// the buying workspace. Each is a range of an index, so that the cost of a page does not depend on the
// number of sales.
func sides(q commerce.SaleQuery) []sqlstore.Filter {
	var found []sqlstore.Filter
	add := func(absent bool, condition, value string) {
		if !absent {
			f := sqlstore.Filter{}
			f.Where(condition, value)
			found = append(found, f)
		}
	}
	add(q.Seller == "", "org_id = ?", q.Seller.String())
	add(q.Buyer.UserID == "", "user_id = ?", q.Buyer.UserID.String())
	add(q.Buyer.OrgID == "", "buyer_org_id = ?", q.Buyer.OrgID.String())
	if found == nil {
		found = append(found, sqlstore.Filter{})
	}
	return found
}

// narrow adds the conditions that hold for all sides.
func narrow(f *sqlstore.Filter, q commerce.SaleQuery) {
	f.Where(live)
	f.Unless(q.ID == "", "id = ?", q.ID)
	f.Unless(q.User == "", "user_id = ?", q.User.String())
	f.Unless(q.Checkout == "", "checkout_id = ?", q.Checkout.String())
	f.Unless(q.Product == "", "product_id = ?", q.Product.String())
	f.Unless(q.Customer == "", "customer_id = ?", q.Customer.String())
	f.Unless(q.Invoice == "", "invoice = ?", q.Invoice)
	f.Unless(q.Payment == "", "payment = ?", q.Payment)
	state(f, q.Status)
	if q.Current {
		f.Where(current)
	}
	if q.Disputed != nil && *q.Disputed {
		f.Where("dispute <> ''")
	} else if q.Disputed != nil {
		f.Where("dispute = ''")
	}
	f.Unless(q.From == "", "id >= ?", q.From)
	f.Unless(q.Until == "", "id < ?", q.Until)
	f.Unless(q.Before == "", "id < ?", q.Before)
}

// state adds the condition on a status, "" for any. A known status is a literal in the statement and not
// a parameter, so that a generic plan considers how many rows have it.
func state(f *sqlstore.Filter, want string) {
	for _, one := range []string{
		"open", "paid", "void", "uncollectible", "pending", "succeeded", "failed", "applied", "ignored",
		"incomplete", "trialing", "active", "past_due", "paused", "canceled", "ended",
	} {
		if one == want {
			f.Where("status = '" + one + "'")
			return
		}
	}
	f.Unless(want == "", "status = ?", want)
}

// kind describes how one kind of objects is listed.
type kind[R, S any] struct {
	from     string
	id       func(S) string
	snapshot func(*R) (S, error)
}

// list reads a page of the objects of all sides, newest first and without duplicates.
func list[R, S any](ctx context.Context, d saleDirectory, q commerce.SaleQuery, of kind[R, S]) ([]S, error) {
	var all []S
	for _, f := range sides(q) {
		narrow(&f, q)
		var found []R
		if err := d.store.Reader(ctx).List(ctx, &found, of.from+f.String()+sqlstore.Newest(q.Limit), f.Args...); err != nil {
			return nil, fmt.Errorf("list what was sold: %w", err)
		}
		read, err := sqlstore.Map(found, of.snapshot)
		if err != nil {
			return nil, err
		}
		all = append(all, read...)
	}
	slices.SortFunc(all, func(a, b S) int { return cmp.Compare(of.id(b), of.id(a)) })
	all = slices.CompactFunc(all, func(a, b S) bool { return of.id(a) == of.id(b) })
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[:q.Limit]
	}
	return all, nil
}

// Subscriptions lists subscriptions.
func (d saleDirectory) Subscriptions(ctx context.Context, q commerce.SaleQuery) ([]billing.SubscriptionSnapshot, error) {
	return list(ctx, d, q, kind[subscriptionRow, billing.SubscriptionSnapshot]{
		`SELECT ` + subscriptionColumns + ` FROM subscriptions`, func(s billing.SubscriptionSnapshot) string { return s.ID.String() },
		func(r *subscriptionRow) (billing.SubscriptionSnapshot, error) { return r.snapshot(d.store) },
	})
}

// Invoices lists invoices.
func (d saleDirectory) Invoices(ctx context.Context, q commerce.SaleQuery) ([]billing.InvoiceSnapshot, error) {
	return list(ctx, d, q, kind[invoiceRow, billing.InvoiceSnapshot]{
		`SELECT ` + invoiceColumns + ` FROM invoices`, func(s billing.InvoiceSnapshot) string { return s.ID.String() }, (*invoiceRow).snapshot,
	})
}

// Payments lists payments.
func (d saleDirectory) Payments(ctx context.Context, q commerce.SaleQuery) ([]billing.PaymentSnapshot, error) {
	return list(ctx, d, q, kind[paymentRow, billing.PaymentSnapshot]{
		`SELECT ` + paymentColumns + ` FROM payments`, func(s billing.PaymentSnapshot) string { return s.ID.String() }, (*paymentRow).snapshot,
	})
}

// Refunds lists refunds.
func (d saleDirectory) Refunds(ctx context.Context, q commerce.SaleQuery) ([]billing.RefundSnapshot, error) {
	return list(ctx, d, q, kind[refundRow, billing.RefundSnapshot]{
		`SELECT ` + refundColumns + ` FROM refunds`, func(s billing.RefundSnapshot) string { return s.ID.String() },
		func(r *refundRow) (billing.RefundSnapshot, error) { return r.snapshot(d.store) },
	})
}
