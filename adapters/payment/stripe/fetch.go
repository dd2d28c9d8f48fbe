package stripe

import (
	"context"

	"github.com/stripe/stripe-go/v85"

	"gatehouse.internal/domain/billing"
)

// Fetch returns all that Stripe knows of a sale; nothing for one that is not ours.
func (s *Stripe) Fetch(ctx context.Context, id string) ([]billing.Fact, error) {
	by := view{at: s.options.Clock.Now()}
	params := &stripe.CheckoutSessionRetrieveParams{}
	for _, one := range []string{"line_items", "subscription", "invoice", "payment_intent.latest_charge.refunds"} {
		params.AddExpand(one)
	}
	found, err := s.api.V1CheckoutSessions.Retrieve(ctx, id, params)
	if err != nil {
		return nil, failed(err)
	}
	by.checkout = billing.CheckoutID(found.Metadata[checkoutKey])
	if by.checkout == "" {
		return nil, nil
	}
	facts := []billing.Fact{by.session(found)}
	if found.Subscription != nil {
		more, err := s.periods(ctx, by, found.Subscription)
		return append(facts, more...), err
	}
	invoice := ""
	if found.Invoice != nil {
		facts, invoice = append(facts, by.invoice(found.Invoice)...), found.Invoice.ID
	}
	if found.PaymentIntent != nil {
		paid, err := s.payment(ctx, by, found.PaymentIntent, invoice)
		return append(facts, paid...), err
	}
	return facts, nil
}

// periods returns a subscription with its invoices and what was paid of them.
func (s *Stripe) periods(ctx context.Context, by view, of *stripe.Subscription) ([]billing.Fact, error) {
	facts, invoices := []billing.Fact{subscription(by.at, of)}, map[string]string{}
	list := &stripe.InvoiceListParams{Subscription: &of.ID}
	list.AddExpand("data.payments")
	for one, err := range s.api.V1Invoices.List(ctx, list).All(ctx) {
		if err != nil {
			return nil, failed(err)
		}
		facts = append(facts, by.invoice(one)...)
		for _, id := range intents(one) {
			invoices[id] = one.ID
		}
	}
	if of.Customer == nil || len(invoices) == 0 {
		return facts, nil
	}
	paid, err := s.payments(ctx, by, of.Customer.ID, invoices)
	return append(facts, paid...), err
}

// intents are the identifiers of the payments of an invoice.
func intents(of *stripe.Invoice) (ids []string) {
	if of.Payments == nil {
		return nil
	}
	for _, one := range of.Payments.Data {
		if one.Payment != nil && one.Payment.PaymentIntent != nil {
			ids = append(ids, one.Payment.PaymentIntent.ID)
		}
	}
	return ids
}

// payments returns those of a customer's payments that are for one of some invoices.
func (s *Stripe) payments(ctx context.Context, by view, customer string, invoices map[string]string) (facts []billing.Fact, err error) {
	list := &stripe.PaymentIntentListParams{Customer: &customer}
	list.AddExpand("data.latest_charge.refunds")
	for one, err := range s.api.V1PaymentIntents.List(ctx, list).All(ctx) {
		if err != nil {
			return nil, failed(err)
		}
		invoice, ours := invoices[one.ID]
		if !ours {
			continue
		}
		paid, err := s.payment(ctx, by, one, invoice)
		if err != nil {
			return nil, err
		}
		facts = append(facts, paid...)
	}
	return facts, nil
}

// payment returns a payment, with what a dispute of it came to.
func (s *Stripe) payment(ctx context.Context, by view, of *stripe.PaymentIntent, invoice string) ([]billing.Fact, error) {
	var dispute billing.Dispute
	if of.LatestCharge != nil && of.LatestCharge.Disputed {
		for one, err := range s.api.V1Disputes.List(ctx, &stripe.DisputeListParams{PaymentIntent: &of.ID}).All(ctx) {
			if err != nil {
				return nil, failed(err)
			}
			dispute = disputed(one.Status)
			break
		}
	}
	return by.payment(of, invoice, dispute), nil
}
