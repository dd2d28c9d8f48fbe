package polar

import (
	"errors"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// errStale says that the API returned an older state than that of an event.
var errStale = errors.New("polar returned an older state than its event")

// view is the sale to which facts belong, and the time at which they were fetched.
type view struct {
	at       time.Time
	checkout billing.CheckoutID
	// expected is the object of the event for which the sale is fetched; nil for none.
	expected *watch
}

// watch is the object of an event, with the time of its state.
type watch struct {
	namedObject

	// fetched reports whether it was fetched.
	fetched bool
}

func (v view) fact(id string) billing.Fact {
	return billing.Fact{CheckoutID: v.checkout, ID: id, At: v.at}
}

// fresh fails with errStale for an object that is older than in its event.
func (v view) fresh(o namedObject) error {
	if v.expected == nil || o.ID != v.expected.ID {
		return nil
	}
	v.expected.fetched = true
	if o.Modified.Before(v.expected.Modified) {
		return errStale
	}
	return nil
}

// page returns a checkout. The amount of Polar is before discounts, and does not depend on a trial.
func (v view) page(c checkout) billing.Fact {
	state := &billing.CheckoutFact{
		Status: billing.CheckoutOpen, URL: c.URL, ExpiresAt: c.ExpiresAt, PriceID: c.ProductID, Quantity: max(c.Seats, 1),
		Subtotal: payment.OfCents(c.Amount-c.Discount, c.Currency), CustomerID: c.Metadata.text(customerKey),
	}
	switch c.Status {
	case "succeeded":
		state.Status = billing.CheckoutCompleted
	case "expired", "failed":
		state.Status = billing.CheckoutExpired
	}
	fact := v.fact(c.ID)
	fact.Checkout = state
	return fact
}

// subscription returns a subscription, whose metadata has the checkout.
func subscription(at time.Time, s sub) billing.Fact {
	return billing.Fact{CheckoutID: billing.CheckoutID(s.Metadata.text(checkoutKey)), ID: s.ID, At: at, Subscription: &billing.SubscriptionFact{
		Status: status(s), PriceID: s.ProductID, Quantity: max(s.Seats, 1), PeriodStart: s.PeriodStart, PeriodEnd: s.PeriodEnd,
		TrialEnd: s.TrialEnd, CanceledAt: s.CanceledAt, EndedAt: s.EndedAt,
	}}
}

func status(s sub) billing.SubscriptionStatus {
	status, known := map[string]billing.SubscriptionStatus{
		"incomplete": billing.Incomplete, "incomplete_expired": billing.Ended, "trialing": billing.Trialing, "active": billing.Active,
		"past_due": billing.PastDue, "unpaid": billing.PastDue, "paused": billing.Paused, "canceled": billing.Ended,
	}[s.Status]
	switch {
	case !known:
		return billing.Incomplete
	case s.AtPeriodEnd && (status == billing.Active || status == billing.Trialing):
		return billing.Canceled
	}
	return status
}

// invoice returns the invoice of an order; nil for a draft.
func (v view) invoice(o order, paid time.Time) []billing.Fact {
	status, written := map[string]billing.InvoiceStatus{
		"pending": billing.InvoiceOpen, "paid": billing.InvoicePaid, "refunded": billing.InvoicePaid, "partially_refunded": billing.InvoicePaid,
		"void": billing.InvoiceVoid,
	}[o.Status]
	if !written || o.Total < 0 {
		return nil
	}
	sum := func(cents int64) int64 { return payment.Minor(cents, o.Currency) }
	shown := &billing.InvoiceFact{
		Status: status, Number: o.Number, Currency: payment.Code(o.Currency), Discount: sum(o.Discount), Tax: sum(o.Tax), Total: sum(o.Total), IssuedAt: o.CreatedAt,
	}
	// The subtotal of Polar includes inclusive taxes.
	shown.Subtotal = shown.Total - shown.Tax + shown.Discount
	if status == billing.InvoicePaid {
		shown.PaidAt = paid
		if paid.IsZero() {
			shown.PaidAt = o.CreatedAt
		}
	}
	for _, one := range o.Items {
		shown.Lines = append(shown.Lines, billing.Line{Description: one.Label, Quantity: 1, Amount: sum(one.Amount)})
	}
	fact := v.fact(o.ID)
	fact.Invoice = shown
	return []billing.Fact{fact}
}

// payment returns a payment of an order, which a failed one may not have. Due is what the order costs less
// what was taken from the balance of the customer.
func (v view) payment(a attempt, of order, disputed billing.Dispute) billing.Fact {
	status, known := map[string]billing.PaymentStatus{"succeeded": billing.PaymentSucceeded, "failed": billing.PaymentFailed}[a.Status]
	if !known {
		status = billing.PaymentPending
	}
	fact := v.fact(a.ID)
	fact.Payment = &billing.PaymentFact{Status: status, InvoiceID: a.OrderID, Amount: payment.OfCents(a.Amount, a.Currency), Dispute: disputed, Failure: a.Failure}
	if of.Balance >= 0 {
		fact.Payment.Due = payment.OfCents(of.Total-of.Balance, a.Currency)
	}
	return fact
}

// refund returns a refund of a payment. The amount of Polar is without tax.
func (v view) refund(b refund, paid string) billing.Fact {
	status, known := map[string]billing.RefundStatus{
		"succeeded": billing.RefundSucceeded, "failed": billing.RefundFailed, "canceled": billing.RefundFailed,
	}[b.Status]
	if !known {
		status = billing.RefundPending
	}
	fact := v.fact(b.ID)
	fact.Refund = &billing.RefundFact{
		RefundID: billing.RefundID(b.Metadata.text(refundKey)), Status: status, PaymentID: paid, Amount: payment.OfCents(b.Amount+b.Tax, b.Currency),
	}
	return fact
}

// state returns the state of a dispute; "" for an early warning. A prevented one was refunded.
func (d dispute) state() billing.Dispute {
	return map[string]billing.Dispute{
		"needs_response": billing.DisputeOpen, "under_review": billing.DisputeOpen, "lost": billing.DisputeLost, "won": billing.DisputeWon,
		"prevented": billing.DisputeWon,
	}[d.Status]
}
