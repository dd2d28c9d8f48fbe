package paddle

import (
	"time"

	api "github.com/PaddleHQ/paddle-go-sdk/v4"

	"gatehouse.internal/adapters/payment"
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

// all returns the facts that transactions of one sale are.
func (v view) all(of []*api.Transaction) (facts []billing.Fact) {
	for _, one := range of {
		if saleOf(one) == v.checkout {
			facts = append(facts, v.page(one))
		}
		facts = append(facts, v.invoice(one)...)
		facts = append(facts, v.payment(one)...)
		for _, adjusted := range one.Adjustments {
			if adjusted.Action == api.AdjustmentActionRefund {
				facts = append(facts, v.refund(adjusted))
			}
		}
	}
	return facts
}

// page returns the checkout that a transaction began.
func (v view) page(t *api.Transaction) billing.Fact {
	page := &billing.CheckoutFact{
		Status: billing.CheckoutOpen, URL: payment.Value(payment.Value(t.Checkout).URL), ExpiresAt: when(t.CreatedAt).Add(pageLife),
		CustomerID: payment.Value(t.CustomerID),
	}
	switch {
	case paid(t):
		page.Status = billing.CheckoutCompleted
	case t.Status == api.TransactionStatusCanceled || !v.at.Before(page.ExpiresAt):
		page.Status = billing.CheckoutExpired
	}
	if len(t.Items) == 1 {
		one, sum := t.Items[0], t.Details.Totals
		page.PriceID, page.Quantity = known(one.Price), int64(one.Quantity)
		minor := number(sum.Subtotal) - number(sum.Discount)
		if one.Price.TaxMode == api.TaxModeInternal {
			// The tax is within what was agreed.
			minor = number(sum.Total)
		}
		// In a trial nothing is due at first; what is due later follows from price and quantity.
		if one.Price.TrialPeriod != nil && minor == 0 {
			minor = number(mark(t.CustomData, subtotalKey))
		}
		page.Subtotal = money.Of(minor, money.Currency(t.CurrencyCode))
	}
	fact := v.fact(t.ID)
	fact.Checkout = page
	return fact
}

// subscription returns a subscription.
func (v view) subscription(s *api.Subscription) billing.Fact {
	period := payment.Value(s.CurrentBillingPeriod)
	told := &billing.SubscriptionFact{
		Status: status(s), Quantity: 1, PeriodStart: when(period.StartsAt), PeriodEnd: when(period.EndsAt), CanceledAt: when(payment.Value(s.CanceledAt)),
	}
	if len(s.Items) > 0 {
		one := s.Items[0]
		told.Quantity, told.PriceID, told.TrialEnd = max(int64(one.Quantity), 1), known(one.Price), when(payment.Value(one.TrialDates).EndsAt)
	}
	if told.Status == billing.Ended {
		told.EndedAt = told.CanceledAt
	}
	if told.Status == billing.Canceled {
		told.CanceledAt = when(s.UpdatedAt)
	}
	fact := v.fact(s.ID)
	fact.Subscription = told
	return fact
}

func status(s *api.Subscription) billing.SubscriptionStatus {
	found, known := map[api.SubscriptionStatus]billing.SubscriptionStatus{
		"trialing": billing.Trialing, "active": billing.Active, "past_due": billing.PastDue, "paused": billing.Paused, "canceled": billing.Ended,
	}[s.Status]
	switch {
	case !known:
		return billing.Incomplete
	case ending(s) && (found == billing.Active || found == billing.Trialing):
		return billing.Canceled
	}
	return found
}

// invoice returns the invoice that a transaction is; none before it has a number, and for a credit,
// which nobody pays.
func (v view) invoice(t *api.Transaction) []billing.Fact {
	status, written := map[api.TransactionStatus]billing.InvoiceStatus{
		"billed": billing.InvoiceOpen, "past_due": billing.InvoiceOpen, "completed": billing.InvoicePaid, "canceled": billing.InvoiceVoid,
	}[t.Status]
	sum, period, billed := t.Details.Totals, payment.Value(t.BillingPeriod), when(payment.Value(t.BilledAt))
	if !written || number(sum.Total) < 0 || billed.IsZero() {
		return nil
	}
	shown := &billing.InvoiceFact{
		Status: status, Number: payment.Value(t.InvoiceNumber), Currency: money.Currency(t.CurrencyCode), Subtotal: number(sum.Subtotal),
		Discount: number(sum.Discount), Tax: number(sum.Tax), Total: number(sum.Total),
		PeriodStart: when(period.StartsAt), PeriodEnd: when(period.EndsAt), IssuedAt: billed,
	}
	if status == billing.InvoicePaid {
		shown.PaidAt = billed
	}
	for _, one := range t.Payments {
		if at := when(payment.Value(one.CapturedAt)); one.Status == api.PaymentAttemptStatusCaptured && !at.IsZero() {
			shown.PaidAt = at
		}
	}
	for _, one := range t.Details.LineItems {
		shown.Lines = append(shown.Lines, billing.Line{Description: one.Product.Name, Quantity: max(int64(one.Quantity), 1), Amount: number(one.Totals.Subtotal)})
	}
	fact := v.fact(t.ID)
	fact.Invoice = shown
	return []billing.Fact{fact}
}

// payment returns what was paid of a transaction; none before somebody tried to, and where nothing
// is due.
func (v view) payment(t *api.Transaction) []billing.Fact {
	// What is to be paid is after credit of the customer.
	due := number(t.Details.Totals.GrandTotal)
	if len(t.Payments) == 0 || due <= 0 {
		return nil
	}
	told := &billing.PaymentFact{
		Status: billing.PaymentPending, InvoiceID: t.ID, Amount: money.Of(due, money.Currency(t.CurrencyCode)), Dispute: disputed(t.Adjustments),
	}
	// Attempts are in the order of time, the last one first.
	last := t.Payments[0]
	switch {
	case paid(t):
		told.Status = billing.PaymentSucceeded
	case last.Status == api.PaymentAttemptStatusError || last.Status == api.PaymentAttemptStatusCanceled || last.Status == api.PaymentAttemptStatusDropped:
		told.Status, told.Failure = billing.PaymentFailed, string(payment.Value(last.ErrorCode))
	}
	fact := v.fact(t.ID)
	fact.Payment = told
	return []billing.Fact{fact}
}

// disputed returns what the chargebacks among adjustments came to.
func disputed(all []api.Adjustment) (found billing.Dispute) {
	var last time.Time
	for _, one := range all {
		state, about := map[api.AdjustmentAction]billing.Dispute{
			"chargeback_warning": billing.DisputeOpen, "chargeback": billing.DisputeOpen,
			"chargeback_warning_reverse": billing.DisputeWon, "chargeback_reverse": billing.DisputeWon,
		}[one.Action]
		if at := when(one.CreatedAt); about && !at.Before(last) {
			found, last = state, at
		}
	}
	return found
}

func (v view) refund(a api.Adjustment) billing.Fact {
	told := &billing.RefundFact{
		RefundID: refundOf(a), Status: billing.RefundPending, PaymentID: a.TransactionID,
		Amount: money.Of(number(a.Totals.Total), money.Currency(a.CurrencyCode)),
	}
	switch {
	case void(a):
		told.Status, told.Failure = billing.RefundFailed, "Paddle did not approve it."
	case a.Status == api.AdjustmentStatusApproved:
		told.Status = billing.RefundSucceeded
	}
	fact := v.fact(a.ID)
	fact.Refund = told
	return fact
}
