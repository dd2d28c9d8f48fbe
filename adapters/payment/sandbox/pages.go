package sandbox

import (
	"context"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// Page is the content of the page of a sale.
type Page struct {
	Sale

	Amount string
	Status string
	// Open reports whether the sale can be paid, and Paid whether it was.
	Open, Paid bool
	// Subscription is the status of the subscription; "" for none.
	Subscription string
	PeriodEnd    time.Time
	Invoices     []Invoice
	Buttons      []Button
}

// Invoice is the content of the page of an invoice.
type Invoice struct {
	billing.InvoiceFact

	ID, Sale string
}

// Sum formats an amount of the invoice in minor units.
func (i Invoice) Sum(minor int64) string { return money.Of(minor, i.Currency).String() }

// Button is a possible act on a sale.
type Button struct{ Name, Label string }

// Show returns the page of a sale. It fails with ErrNoSale.
func (s *Sandbox) Show(ctx context.Context, id string) (Page, error) {
	of, _, err := s.read(ctx, id)
	if err != nil {
		return Page{}, err
	}
	shown := Page{Sale: of, Amount: of.First.String(), Status: string(of.Facts[0].Checkout.Status)}
	shown.Open, shown.Paid = of.open(), of.Facts[0].Checkout.Status == billing.CheckoutCompleted
	if sub := of.subscription(); sub != nil {
		shown.Subscription, shown.PeriodEnd = string(sub.Subscription.Status), sub.Subscription.PeriodEnd
	}
	shown.Invoices = of.invoices()
	for _, one := range acts() {
		if one.may(&of) {
			shown.Buttons = append(shown.Buttons, Button{one.Name, one.Label})
		}
	}
	return shown, nil
}

// Invoice returns an invoice by its identifier. It fails with ErrNoSale.
func (s *Sandbox) Invoice(ctx context.Context, id string) (Invoice, error) {
	of, _, err := s.read(ctx, saleOfObject(id))
	if err != nil {
		return Invoice{}, err
	}
	for _, one := range of.invoices() {
		if one.ID == id {
			return one, nil
		}
	}
	return Invoice{}, ErrNoSale
}

func (s *Sale) invoices() (all []Invoice) {
	for _, one := range s.Facts {
		if one.Invoice != nil {
			all = append(all, Invoice{*one.Invoice, one.ID, s.ID})
		}
	}
	return all
}
