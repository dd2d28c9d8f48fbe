package stripe

import (
	"context"
	"net/url"
	"strconv"

	"gatehouse.internal/domain/billing"
)

// expanding asks for objects in place of their identifiers.
func expanding(fields url.Values, paths ...string) url.Values {
	for i, path := range paths {
		fields.Set("expand["+strconv.Itoa(i)+"]", path)
	}
	return fields
}

// Fetch returns all that Stripe knows of a sale; nothing for one that is not ours.
func (s *Stripe) Fetch(ctx context.Context, id string) ([]billing.Fact, error) {
	by := view{at: s.options.Clock.Now()}
	var found session
	fields := expanding(url.Values{}, "line_items", "subscription", "invoice", "payment_intent.latest_charge.refunds")
	if err := s.get(ctx, "checkout/sessions/"+url.PathEscape(id), fields, &found); err != nil {
		return nil, err
	}
	by.checkout = billing.CheckoutID(found.Metadata[checkoutKey])
	if by.checkout == "" {
		return nil, nil
	}
	facts := []billing.Fact{by.session(found)}
	if held := found.Subscription.Object; held != nil {
		more, err := s.periods(ctx, by, *held)
		return append(facts, more...), err
	}
	if found.Invoice.Object != nil {
		facts = append(facts, by.invoice(*found.Invoice.Object)...)
	}
	if paid := found.Intent.Object; paid != nil {
		more, err := s.payment(ctx, by, *paid, found.Invoice.ID)
		return append(facts, more...), err
	}
	return facts, nil
}

// periods returns a subscription with its invoices and what was paid of them.
func (s *Stripe) periods(ctx context.Context, by view, of sub) ([]billing.Fact, error) {
	facts, invoices := []billing.Fact{subscription(by.at, of)}, map[string]string{}
	fields := expanding(url.Values{"subscription": {of.ID}}, "data.payments")
	for one, err := range list[bill](ctx, s, "invoices", fields) {
		if err != nil {
			return nil, err
		}
		facts = append(facts, by.invoice(one)...)
		for _, paid := range one.Payments.Data {
			if id := paid.Payment.Intent.ID; id != "" {
				invoices[id] = one.ID
			}
		}
	}
	if of.Customer.ID == "" || len(invoices) == 0 {
		return facts, nil
	}
	paid, err := s.payments(ctx, by, of.Customer.ID, invoices)
	return append(facts, paid...), err
}

// payments returns those of a customer's payments that are for one of some invoices.
func (s *Stripe) payments(ctx context.Context, by view, customer string, invoices map[string]string) (facts []billing.Fact, err error) {
	fields := expanding(url.Values{"customer": {customer}}, "data.latest_charge.refunds")
	for one, err := range list[intent](ctx, s, "payment_intents", fields) {
		if err != nil {
			return nil, err
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
func (s *Stripe) payment(ctx context.Context, by view, of intent, invoice string) ([]billing.Fact, error) {
	var about dispute
	if of.Charge.Object != nil && of.Charge.Object.Disputed {
		found, err := first[dispute](ctx, s, "disputes", url.Values{"payment_intent": {of.ID}})
		if err != nil {
			return nil, err
		}
		about = found
	}
	return by.payment(of, invoice, about.disputed()), nil
}
