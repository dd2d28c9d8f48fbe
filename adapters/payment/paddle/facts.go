package paddle

import (
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// pageLife is how long a checkout is open. Paddle knows no end of it: the page is ours.
const pageLife = 24 * time.Hour

// view is a sale as it is seen from a time on.
type view struct {
	at       time.Time
	checkout billing.CheckoutID
}

func (v view) fact(id string) billing.Fact {
	return billing.Fact{CheckoutID: v.checkout, ID: id, At: v.at}
}

// all are the facts that transactions of one sale are.
func (v view) all(of []transaction) (facts []billing.Fact) {
	for _, one := range of {
		if one.sale() == v.checkout {
			facts = append(facts, v.page(one))
		}
		facts = append(facts, v.invoice(one)...)
		facts = append(facts, v.payment(one)...)
		for _, adjusted := range one.Adjustments {
			if adjusted.Action == "refund" {
				facts = append(facts, v.refund(adjusted))
			}
		}
	}
	return facts
}

// page is the checkout that a transaction began.
func (v view) page(t transaction) billing.Fact {
	page := &billing.CheckoutFact{
		Status: billing.CheckoutOpen, URL: t.Checkout.URL, ExpiresAt: t.CreatedAt.Add(pageLife), CustomerID: t.Customer,
	}
	switch {
	case t.paid():
		page.Status = billing.CheckoutCompleted
	case t.Status == "canceled" || !v.at.Before(page.ExpiresAt):
		page.Status = billing.CheckoutExpired
	}
	if len(t.Items) == 1 {
		one, sum := t.Items[0], t.Details.Totals
		page.PriceID, page.Quantity = one.Price.known(), one.Quantity
		minor := sum.Subtotal - sum.Discount
		if one.Price.TaxMode == "internal" {
			// The tax is within what was agreed.
			minor = sum.Total
		}
		// In a trial nothing is due at first; what is due later follows from price and quantity.
		if one.Price.Trial != nil && minor == 0 {
			minor = number(t.Custom[subtotalKey])
		}
		page.Subtotal = money.Of(minor, t.Currency)
	}
	fact := v.fact(t.ID)
	fact.Checkout = page
	return fact
}

// paid reports whether a transaction is paid, though perhaps not yet seen to.
func (t transaction) paid() bool { return t.Status == "paid" || t.Status == "completed" }

// subscription is a subscription.
func (v view) subscription(s subscription) billing.Fact {
	told := &billing.SubscriptionFact{
		Status: status(s), Quantity: 1, PeriodStart: s.Period.Start, PeriodEnd: s.Period.End, CanceledAt: s.CanceledAt,
	}
	if len(s.Items) > 0 {
		told.Quantity, told.PriceID, told.TrialEnd = max(s.Items[0].Quantity, 1), s.Items[0].Price.known(), s.Items[0].Trial.End
	}
	if told.Status == billing.Ended {
		told.EndedAt = s.CanceledAt
	}
	if told.Status == billing.Canceled {
		told.CanceledAt = s.UpdatedAt
	}
	fact := v.fact(s.ID)
	fact.Subscription = told
	return fact
}

func status(s subscription) billing.SubscriptionStatus {
	found, known := map[string]billing.SubscriptionStatus{
		"trialing": billing.Trialing, "active": billing.Active, "past_due": billing.PastDue, "paused": billing.Paused, "canceled": billing.Ended,
	}[s.Status]
	switch {
	case !known:
		return billing.Incomplete
	case s.ending() && (found == billing.Active || found == billing.Trialing):
		return billing.Canceled
	}
	return found
}

// invoice is the invoice that a transaction is; none before it has a number, and for a credit,
// which nobody pays.
func (v view) invoice(t transaction) []billing.Fact {
	status, written := map[string]billing.InvoiceStatus{
		"billed": billing.InvoiceOpen, "past_due": billing.InvoiceOpen, "completed": billing.InvoicePaid, "canceled": billing.InvoiceVoid,
	}[t.Status]
	sum := t.Details.Totals
	if !written || sum.Total < 0 || t.BilledAt.IsZero() {
		return nil
	}
	shown := &billing.InvoiceFact{
		Status: status, Number: t.Number, Currency: t.Currency, Subtotal: sum.Subtotal, Discount: sum.Discount, Tax: sum.Tax, Total: sum.Total,
		PeriodStart: t.Period.Start, PeriodEnd: t.Period.End, IssuedAt: t.BilledAt,
	}
	if status == billing.InvoicePaid {
		shown.PaidAt = t.BilledAt
	}
	for _, one := range t.Payments {
		if one.Status == "captured" && !one.CapturedAt.IsZero() {
			shown.PaidAt = one.CapturedAt
		}
	}
	for _, one := range t.Details.Lines {
		shown.Lines = append(shown.Lines, billing.Line{Description: one.Product.Name, Quantity: max(one.Quantity, 1), Amount: one.Totals.Subtotal})
	}
	fact := v.fact(t.ID)
	fact.Invoice = shown
	return []billing.Fact{fact}
}

// payment is what was paid of a transaction; none before somebody tried to, and where nothing
// is due.
func (v view) payment(t transaction) []billing.Fact {
	if len(t.Payments) == 0 || t.Details.Totals.Due <= 0 {
		return nil
	}
	told := &billing.PaymentFact{
		Status: billing.PaymentPending, InvoiceID: t.ID, Amount: money.Of(t.Details.Totals.Due, t.Currency), Dispute: disputed(t.Adjustments),
	}
	// Attempts are in the order of time, the last one first.
	last := t.Payments[0]
	switch {
	case t.paid():
		told.Status = billing.PaymentSucceeded
	case last.Status == "error" || last.Status == "canceled" || last.Status == "dropped":
		told.Status, told.Failure = billing.PaymentFailed, last.Failure
	}
	fact := v.fact(t.ID)
	fact.Payment = told
	return []billing.Fact{fact}
}

// disputed is what the chargebacks among adjustments came to.
func disputed(all []adjustment) (found billing.Dispute) {
	var last time.Time
	for _, one := range all {
		state, about := map[string]billing.Dispute{
			"chargeback_warning": billing.DisputeOpen, "chargeback": billing.DisputeOpen,
			"chargeback_warning_reverse": billing.DisputeWon, "chargeback_reverse": billing.DisputeWon,
		}[one.Action]
		if about && !one.CreatedAt.Before(last) {
			found, last = state, one.CreatedAt
		}
	}
	return found
}

func (v view) refund(a adjustment) billing.Fact {
	told := &billing.RefundFact{
		RefundID: a.refund(), Status: billing.RefundPending, PaymentID: a.Transaction, Amount: money.Of(a.Totals.Total, a.Currency),
	}
	switch {
	case a.void():
		told.Status, told.Failure = billing.RefundFailed, "Paddle did not approve it."
	case a.Status == "approved":
		told.Status = billing.RefundSucceeded
	}
	fact := v.fact(a.ID)
	fact.Refund = told
	return fact
}
