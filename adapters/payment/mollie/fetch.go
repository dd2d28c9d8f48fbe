package mollie

import (
	"context"
	"slices"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/domain/billing"
)

// Fetch returns all facts of the sale to which a charge belongs; none if the charge is not ours.
func (m *Mollie) Fetch(ctx context.Context, id string) ([]billing.Fact, error) {
	_, facts, err := m.fetch(ctx, id)
	return facts, err
}

// fetch is Fetch that also returns the charge.
func (m *Mollie) fetch(ctx context.Context, id string) (found charge, facts []billing.Fact, err error) {
	at := m.options.Clock.Now()
	if found, err = m.charge(ctx, id); err != nil {
		return found, nil, err
	}
	held, err := m.saleOf(ctx, at, found)
	if err == nil {
		facts, err = m.all(ctx, held)
	}
	return found, facts, err
}

// all returns the facts of a sale; none if it is not ours.
func (m *Mollie) all(ctx context.Context, of sale) ([]billing.Fact, error) {
	if of.page.ID == "" {
		return nil, nil
	}
	facts := []billing.Fact{of.checkoutFact()}
	if of.sub.ID != "" {
		facts = append(facts, of.subscription())
	}
	for _, one := range of.charges {
		var taken []api.Chargeback
		var backs []refund
		var err error
		if href(one.Links.ChargeBacks) != "" {
			taken, err = collect(m.chargebacks(ctx, one.ID))
		}
		if err == nil && href(one.Links.Refunds) != "" {
			backs, err = collect(m.refunds(ctx, one.ID))
		}
		if err != nil {
			return nil, err
		}
		facts = slices.Concat(facts, of.invoice(one), of.payment(one, disputed(taken)))
		for _, b := range backs {
			facts = append(facts, of.refund(b, one.ID))
		}
	}
	return facts, nil
}
