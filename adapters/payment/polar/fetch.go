package polar

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"gatehouse.internal/domain/billing"
)

// Fetch returns all facts of the sale of a checkout; none if it is not ours.
func (p *Polar) Fetch(ctx context.Context, id string) ([]billing.Fact, error) {
	return p.fetch(ctx, id, nil)
}

// fetch is Fetch for an event about an object. It fails with errStale if the API returns an older state of the object.
func (p *Polar) fetch(ctx context.Context, id string, expected *watch) ([]billing.Fact, error) {
	from := view{at: p.options.Clock.Now(), expected: expected}
	var found checkout
	if err := p.get(ctx, "checkouts/"+url.PathEscape(id), nil, &found); err != nil {
		return nil, err
	}
	from.checkout = billing.CheckoutID(found.Metadata.text(checkoutKey))
	if from.checkout == "" {
		return nil, nil
	}
	facts, err := p.sale(ctx, from, found)
	if err == nil && expected != nil && !expected.fetched {
		err = errStale
	}
	return facts, err
}

// sale returns the facts of a checkout and its sale.
func (p *Polar) sale(ctx context.Context, from view, of checkout) ([]billing.Fact, error) {
	facts := []billing.Fact{from.page(of)}
	if err := from.fresh(of.namedObject); err != nil || of.Status != "succeeded" {
		return facts, err
	}
	about := url.Values{"checkout_id": {of.ID}}
	paid := about
	if of.Product.Interval != "" {
		held, err := p.bought(ctx, from, of.ID)
		if err != nil || held.ID == "" {
			return facts, err
		}
		facts = append(facts, subscription(from.at, held))
		about, paid = url.Values{"subscription_id": {held.ID}}, url.Values{"customer_id": {held.CustomerID}}
	}
	more, err := p.money(ctx, from, of.ID, about, paid)
	return append(facts, more...), err
}

// bought returns the subscription of a checkout; zero for none yet.
func (p *Polar) bought(ctx context.Context, from view, checkout string) (sub, error) {
	for one, err := range list[sub](ctx, p, "subscriptions/", byMetadata(checkoutKey, from.checkout.String())) {
		if err == nil && one.CheckoutID != checkout {
			continue
		}
		if err == nil {
			err = from.fresh(one.namedObject)
		}
		return one, err
	}
	return sub{}, nil
}

// ledger holds the orders, payments, refunds and disputes of a sale.
type ledger struct {
	orders   []order
	attempts []attempt
	backs    []refund
	disputes map[string]billing.Dispute
}

// money returns the invoices, payments and refunds of a sale. about is the query for its orders, and paid that for
// payments, which may include others.
func (p *Polar) money(ctx context.Context, from view, checkout string, about, paid url.Values) (facts []billing.Fact, err error) {
	kept, err := p.read(ctx, about, paid)
	if err != nil {
		return nil, err
	}
	for _, one := range kept.orders {
		err = errors.Join(err, from.fresh(one.namedObject))
	}
	for _, one := range kept.backs {
		err = errors.Join(err, from.fresh(one.namedObject))
	}
	if err != nil {
		return nil, err
	}
	payments, orders := map[string]attempt{}, map[string]order{}
	for _, one := range kept.orders {
		orders[one.ID] = one
	}
	for _, one := range kept.paying(checkout) {
		facts = append(facts, from.payment(one, orders[one.OrderID], kept.disputes[one.ID]))
		if one.Status == "succeeded" {
			payments[one.OrderID] = one
		}
	}
	for _, one := range kept.backs {
		if paid, known := payments[one.OrderID]; known {
			facts = append(facts, from.refund(one, paid.ID))
		}
	}
	for _, one := range kept.orders {
		facts = append(facts, from.invoice(one, payments[one.ID].CreatedAt)...)
	}
	return facts, nil
}

// paying returns the payments for the orders, and the attempts on the page of a checkout. The first payment may not
// have the identifier of its order yet.
func (b ledger) paying(checkout string) (ours []attempt) {
	of, first := map[string]bool{}, ""
	for _, one := range b.orders {
		if of[one.ID] = true; one.CheckoutID == checkout {
			first = one.ID
		}
	}
	for _, one := range b.attempts {
		if one.OrderID == "" && one.CheckoutID == checkout && one.Status == "succeeded" {
			one.OrderID = first
		}
		if of[one.OrderID] || one.CheckoutID == checkout {
			ours = append(ours, one)
		}
	}
	return ours
}

// read reads the ledger of a sale.
func (p *Polar) read(ctx context.Context, about, paid url.Values) (kept ledger, err error) {
	kept.disputes = map[string]billing.Dispute{}
	if kept.orders, err = collect[order](ctx, p, "orders/", about); err != nil || len(kept.orders) == 0 {
		return kept, err
	}
	if kept.attempts, err = collect[attempt](ctx, p, "payments/", paid); err != nil {
		return kept, err
	}
	for some := range slices.Chunk(kept.orders, perPage) {
		all := url.Values{}
		for _, one := range some {
			all.Add("order_id", one.ID)
		}
		backs, err := collect[refund](ctx, p, "refunds/", all)
		if err != nil {
			return kept, err
		}
		kept.backs = append(kept.backs, backs...)
		disputes, err := collect[dispute](ctx, p, "disputes/", all)
		if err != nil {
			return kept, err
		}
		// The list is newest first; the newest dispute of a payment counts.
		for _, one := range slices.Backward(disputes) {
			kept.disputes[one.PaymentID] = one.state()
		}
	}
	return kept, nil
}
