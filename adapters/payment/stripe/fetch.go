package stripe

import (
	"context"

	"github.com/stripe/stripe-go/v85"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// Fetch returns all facts of the sale of a session; none if it is not ours.
func (s *Stripe) Fetch(ctx context.Context, id string) ([]billing.Fact, error) {
	by := view{at: s.options.Clock.Now()}
	params := &stripe.CheckoutSessionRetrieveParams{Expand: expand("line_items", "subscription", "invoice", "payment_intent.latest_charge.refunds")}
	found, err := s.api.V1CheckoutSessions.Retrieve(ctx, id, params)
	if err != nil {
		return nil, apiError(err)
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

// periods returns a subscription with its invoices and their payments.
func (s *Stripe) periods(ctx context.Context, by view, of *stripe.Subscription) ([]billing.Fact, error) {
	facts, invoices := []billing.Fact{subscription(by.at, of)}, map[string]string{}
	list := &stripe.InvoiceListParams{Subscription: &of.ID, ListParams: whole(), Expand: expand("data.payments")}
	for one, err := range s.api.V1Invoices.List(ctx, list).All(ctx) {
		if err != nil {
			return nil, apiError(err)
		}
		facts = append(facts, by.invoice(one)...)
		for _, paid := range payment.Value(one.Payments).Data {
			if id := payment.Value(payment.Value(paid.Payment).PaymentIntent).ID; id != "" {
				invoices[id] = one.ID
			}
		}
	}
	if of.Customer == nil || of.Customer.ID == "" || len(invoices) == 0 {
		return facts, nil
	}
	paid, err := s.payments(ctx, by, of.Customer.ID, invoices)
	return append(facts, paid...), err
}

// payments returns the payments of a customer for the invoices, which are by the identifiers of their payments.
func (s *Stripe) payments(ctx context.Context, by view, customer string, invoices map[string]string) (facts []billing.Fact, err error) {
	list := &stripe.PaymentIntentListParams{Customer: &customer, ListParams: whole(), Expand: expand("data.latest_charge.refunds")}
	for one, err := range s.api.V1PaymentIntents.List(ctx, list).All(ctx) {
		if err != nil {
			return nil, apiError(err)
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

// payment returns a payment with the state of its dispute.
func (s *Stripe) payment(ctx context.Context, by view, of *stripe.PaymentIntent, invoice string) ([]billing.Fact, error) {
	var about stripe.Dispute
	if payment.Value(of.LatestCharge).Disputed {
		var err error
		if about, err = first(s.api.V1Disputes.List(ctx, &stripe.DisputeListParams{PaymentIntent: &of.ID}).All(ctx)); err != nil {
			return nil, err
		}
	}
	return by.payment(of, invoice, disputed(about.Status)), nil
}
