package paddle

import (
	"time"

	api "github.com/PaddleHQ/paddle-go-sdk/v4"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// pageLife is how long a checkout is open. The transaction of Paddle does not expire, but our page does.
const pageLife = 24 * time.Hour

// view is the sale to which facts belong, and the time at which they were fetched.
type view struct {
	at       time.Time
	checkout billing.CheckoutID
}

func (v view) fact(id string) billing.Fact {
	return billing.Fact{CheckoutID: v.checkout, ID: id, At: v.at}
}

// all returns the facts of the transactions of a sale.
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

// page returns the checkout of a transaction.
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
			// The agreed amount includes the tax.
			minor = number(sum.Total)
		}
		// In a trial nothing is due at first: the agreed subtotal is in the custom data.
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
	state := &billing.SubscriptionFact{
		Status: status(s), Quantity: 1, PeriodStart: when(period.StartsAt), PeriodEnd: when(period.EndsAt), CanceledAt: when(payment.Value(s.CanceledAt)),
	}
	if len(s.Items) > 0 {
		one := s.Items[0]
		state.Quantity, state.PriceID, state.TrialEnd = max(int64(one.Quantity), 1), known(one.Price), when(payment.Value(one.TrialDates).EndsAt)
	}
	if state.Status == billing.Ended {
		state.EndedAt = state.CanceledAt
	}
	if state.Status == billing.Canceled {
		state.CanceledAt = when(s.UpdatedAt)
	}
	fact := v.fact(s.ID)
	fact.Subscription = state
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

// invoice returns the invoice of a transaction; nil before it is billed, and for a negative amount, which is not
// paid.
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

// payment returns the payment of a transaction; nil before the buyer tried to pay, and if nothing is due.
func (v view) payment(t *api.Transaction) []billing.Fact {
	// The grand total is after the credit balance of the customer.
	due := number(t.Details.Totals.GrandTotal)
	if len(t.Payments) == 0 || due <= 0 {
		return nil
	}
	state := &billing.PaymentFact{
		Status: billing.PaymentPending, InvoiceID: t.ID, Amount: money.Of(due, money.Currency(t.CurrencyCode)), Dispute: disputed(t.Adjustments),
	}
	// The latest attempt is the first.
	last := t.Payments[0]
	switch {
	case paid(t):
		state.Status, state.Due, state.Amount.Minor = billing.PaymentSucceeded, state.Amount, captured(t)
	case last.Status == api.PaymentAttemptStatusError || last.Status == api.PaymentAttemptStatusCanceled || last.Status == api.PaymentAttemptStatusDropped:
		state.Status, state.Failure = billing.PaymentFailed, string(payment.Value(last.ErrorCode))
	}
	fact := v.fact(t.ID)
	fact.Payment = state
	return []billing.Fact{fact}
}

// captured returns the sum of the attempts to pay that were captured.
func captured(t *api.Transaction) (sum int64) {
	for _, one := range t.Payments {
		if one.Status == api.PaymentAttemptStatusCaptured {
			sum += number(one.Amount)
		}
	}
	return sum
}

// disputed returns the state of the dispute that the chargebacks among adjustments are.
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
	state := &billing.RefundFact{
		RefundID: refundOf(a), Status: billing.RefundPending, PaymentID: a.TransactionID,
		Amount: money.Of(number(a.Totals.Total), money.Currency(a.CurrencyCode)),
	}
	switch {
	case void(a):
		state.Status, state.Failure = billing.RefundFailed, "Paddle did not approve the refund."
	case a.Status == api.AdjustmentStatusApproved:
		state.Status = billing.RefundSucceeded
	}
	fact := v.fact(a.ID)
	fact.Refund = state
	return fact
}
