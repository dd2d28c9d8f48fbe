package polar

import (
	"errors"
	"time"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// errStale says that Polar does not yet tell by its API what it told by a hook.
var errStale = errors.New("polar tells an older state than its event did")

// view is a sale as it is seen from a time on.
type view struct {
	at       time.Time
	checkout billing.CheckoutID
	// told is what an event is about; nil for none.
	told *watch
}

// watch is an object whose state was told.
type watch struct {
	named

	// seen reports whether it was fetched since.
	seen bool
}

func (v view) fact(id string) billing.Fact {
	return billing.Fact{CheckoutID: v.checkout, ID: id, At: v.at}
}

// fresh fails with errStale for an object that is older than the event about it.
func (v view) fresh(o named) error {
	if v.told == nil || o.ID != v.told.ID {
		return nil
	}
	v.told.seen = true
	if o.Modified.Before(v.told.Modified) {
		return errStale
	}
	return nil
}

// page returns a checkout. Its amount is before discounts, and the same with a trial.
func (v view) page(c checkout) billing.Fact {
	told := &billing.CheckoutFact{
		Status: billing.CheckoutOpen, URL: c.URL, ExpiresAt: c.ExpiresAt, PriceID: c.ProductID, Quantity: max(c.Seats, 1),
		Subtotal: payment.OfCents(c.Amount-c.Discount, c.Currency), CustomerID: c.Metadata.text(customerKey),
	}
	switch c.Status {
	case "succeeded":
		told.Status = billing.CheckoutCompleted
	case "expired", "failed":
		told.Status = billing.CheckoutExpired
	}
	fact := v.fact(c.ID)
	fact.Checkout = told
	return fact
}

// subscription returns a subscription, which says whose it is by itself.
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

// invoice returns an order; none for a draft.
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
	// A tax that is within the prices is within Polar's subtotal.
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

// payment returns a payment, for an order unless nothing came of it.
func (v view) payment(a attempt, disputed billing.Dispute) billing.Fact {
	status, known := map[string]billing.PaymentStatus{"succeeded": billing.PaymentSucceeded, "failed": billing.PaymentFailed}[a.Status]
	if !known {
		status = billing.PaymentPending
	}
	fact := v.fact(a.ID)
	fact.Payment = &billing.PaymentFact{Status: status, InvoiceID: a.OrderID, Amount: payment.OfCents(a.Amount, a.Currency), Dispute: disputed, Failure: a.Failure}
	return fact
}

// refund returns a refund of a payment; its tax is apart from its amount.
func (v view) refund(b back, paid string) billing.Fact {
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

// state returns the state of a dispute. An early warning is none yet, and one that was prevented
// was refunded.
func (d dispute) state() billing.Dispute {
	return map[string]billing.Dispute{
		"needs_response": billing.DisputeOpen, "under_review": billing.DisputeOpen, "lost": billing.DisputeLost, "won": billing.DisputeWon,
		"prevented": billing.DisputeWon,
	}[d.Status]
}
