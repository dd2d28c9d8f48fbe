package mollie

import (
	"cmp"
	"strconv"
	"strings"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

func text(n int64) string { return strconv.FormatInt(n, 10) }

func (s sale) fact(id string) billing.Fact {
	return billing.Fact{CheckoutID: s.checkout, ID: id, At: s.at}
}

// checkoutFact returns the checkout. A paid first period means that the buyer has agreed; the checkout is
// complete once the subscription exists. In a trial nothing is due at first, so that the subtotal is read from
// the metadata.
func (s sale) checkoutFact() billing.Fact {
	of := s.page
	state := &billing.CheckoutFact{
		Status: billing.CheckoutOpen, URL: href(of.Links.Checkout), ExpiresAt: payment.Value(of.ExpiresAt), PriceID: of.Marks[priceKey],
		Quantity: max(number(of.Marks[quantityKey]), 1), Subtotal: of.Sum, CustomerID: of.CustomerID,
	}
	switch {
	case of.paid() && of.SequenceType == api.FirstSequence && s.sub.ID == "":
		state.Agreed = true
	case of.paid():
		state.Status = billing.CheckoutCompleted
	case of.over():
		state.Status = billing.CheckoutExpired
	}
	if of.Marks[trialKey] != "" && state.Subtotal.Minor == 0 {
		state.Subtotal.Minor = number(of.Marks[subtotalKey])
	}
	fact := s.fact(of.ID)
	fact.Checkout = state
	return fact
}

// subscription returns the subscription. Its status is derived from that at Mollie and from its charges.
func (s sale) subscription() billing.Fact {
	of := s.sub
	start, end, due := s.period()
	state := &billing.SubscriptionFact{
		Status: billing.Active, PriceID: of.Marks[priceKey], Quantity: max(number(of.Marks[quantityKey]), 1), TrialEnd: s.trialEnd(), CanceledAt: payment.Value(of.CanceledAt),
	}
	paidUntil := end
	if due {
		paidUntil = start
	}
	switch {
	case !of.live():
		state.Status, end = billing.Canceled, paidUntil
		if !s.at.Before(paidUntil) {
			state.Status, state.EndedAt = billing.Ended, paidUntil
			if state.CanceledAt.After(paidUntil) {
				state.EndedAt = state.CanceledAt
			}
		}
	case due:
		state.Status = billing.PastDue
	case of.Status == api.SubscriptionStatusSuspended && !s.at.Before(end):
		// Without a mandate the next period is not paid.
		state.Status, start, end = billing.PastDue, end, s.next(end)
	case s.at.Before(state.TrialEnd) && len(s.renewals()) == 0:
		state.Status = billing.Trialing
	}
	state.PeriodStart, state.PeriodEnd = start, end
	fact := s.fact(of.fullID())
	fact.Subscription = state
	return fact
}

// invoice returns the invoice of a paid charge; nil for others, and for an amount of 0.
func (s sale) invoice(c charge) []billing.Fact {
	if !c.paid() || c.Sum.Minor == 0 {
		return nil
	}
	sum, paidAt := c.Sum.Minor, payment.Value(c.PaidAt)
	shown := &billing.InvoiceFact{
		Status: billing.InvoicePaid, Currency: c.Sum.Currency, Subtotal: sum, Total: sum, IssuedAt: paidAt, PaidAt: paidAt,
		Lines: []billing.Line{{Description: c.Description, Quantity: max(number(c.Marks[quantityKey]), 1), Amount: sum}},
	}
	if every := billing.Interval(c.Marks[intervalKey]); every != "" {
		shown.PeriodStart = paidAt
		if c.SequenceType == api.RecurringSequence {
			shown.PeriodStart = payment.Value(c.CreatedAt)
		}
		shown.PeriodEnd = every.Next(shown.PeriodStart, shown.PeriodStart)
	}
	fact := s.fact(c.ID)
	fact.Invoice = shown
	return []billing.Fact{fact}
}

// payment returns the payment of a charge; nil before the buyer tried to pay, and for an amount of 0.
func (s sale) payment(c charge, disputed billing.Dispute) []billing.Fact {
	status, tried := map[string]billing.PaymentStatus{
		"pending": billing.PaymentPending, "authorized": billing.PaymentPending, "paid": billing.PaymentSucceeded, "failed": billing.PaymentFailed,
	}[c.Status]
	if !tried || c.Sum.Minor == 0 {
		return nil
	}
	state := &billing.PaymentFact{Status: status, Amount: c.Sum, Dispute: disputed}
	switch status {
	case billing.PaymentSucceeded:
		state.InvoiceID = c.ID
	case billing.PaymentFailed:
		state.Failure = cmp.Or(c.Details.BankReason, strings.ReplaceAll(string(c.Details.FailureReason), "_", " "))
	case billing.PaymentPending:
	}
	fact := s.fact(c.ID)
	fact.Payment = state
	return []billing.Fact{fact}
}

// refund returns a refund of a charge.
func (s sale) refund(b refund, of string) billing.Fact {
	status, known := map[string]billing.RefundStatus{
		"refunded": billing.RefundSucceeded, "failed": billing.RefundFailed, "canceled": billing.RefundFailed,
	}[string(b.Status)]
	if !known {
		status = billing.RefundPending
	}
	fact := s.fact(b.ID)
	fact.Refund = &billing.RefundFact{RefundID: billing.RefundID(b.Marks[refundKey]), Status: status, PaymentID: of, Amount: b.Sum}
	return fact
}

// disputed returns the state of the dispute that the chargebacks of a charge are.
func disputed(all []api.Chargeback) billing.Dispute {
	var state billing.Dispute
	for _, one := range all {
		if one.ReversedAt == nil {
			return billing.DisputeOpen
		}
		state = billing.DisputeWon
	}
	return state
}
