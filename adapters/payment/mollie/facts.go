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

// began returns the checkout. Who paid for the first period of a subscription has agreed to it; it
// is bought once the subscription is there. In a trial nothing is due at first: what is due
// later follows from price and quantity.
func (s sale) began() billing.Fact {
	of := s.page
	told := &billing.CheckoutFact{
		Status: billing.CheckoutOpen, URL: href(of.Links.Checkout), ExpiresAt: payment.Value(of.ExpiresAt), PriceID: of.Marks[priceKey],
		Quantity: max(number(of.Marks[quantityKey]), 1), Subtotal: of.Sum, CustomerID: of.CustomerID,
	}
	switch {
	case of.paid() && of.SequenceType == api.FirstSequence && s.sub.ID == "":
		told.Agreed = true
	case of.paid():
		told.Status = billing.CheckoutCompleted
	case of.over():
		told.Status = billing.CheckoutExpired
	}
	if of.Marks[trialKey] != "" && told.Subtotal.Minor == 0 {
		told.Subtotal.Minor = number(of.Marks[subtotalKey])
	}
	fact := s.fact(of.ID)
	fact.Checkout = told
	return fact
}

// subscription returns the subscription, whose state follows from its own and from its charges.
func (s sale) subscription() billing.Fact {
	of := s.sub
	start, end, due := s.period()
	told := &billing.SubscriptionFact{
		Status: billing.Active, PriceID: of.Marks[priceKey], Quantity: max(number(of.Marks[quantityKey]), 1), TrialEnd: s.trialEnd(), CanceledAt: payment.Value(of.CanceledAt),
	}
	paidUntil := end
	if due {
		paidUntil = start
	}
	switch {
	case !of.live():
		told.Status, end = billing.Canceled, paidUntil
		if !s.at.Before(paidUntil) {
			told.Status, told.EndedAt = billing.Ended, paidUntil
			if told.CanceledAt.After(paidUntil) {
				told.EndedAt = told.CanceledAt
			}
		}
	case due:
		told.Status = billing.PastDue
	case of.Status == api.SubscriptionStatusSuspended && !s.at.Before(end):
		// The mandate is gone: the next period is not paid.
		told.Status, start, end = billing.PastDue, end, s.next(end)
	case s.at.Before(told.TrialEnd) && len(s.later()) == 0:
		told.Status = billing.Trialing
	}
	told.PeriodStart, told.PeriodEnd = start, end
	fact := s.fact(of.whole())
	fact.Subscription = told
	return fact
}

// invoice returns what was paid by a charge; none before that, and where nothing was charged.
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

// payment returns a charge; none before somebody tried to pay, and where nothing was charged.
func (s sale) payment(c charge, disputed billing.Dispute) []billing.Fact {
	status, tried := map[string]billing.PaymentStatus{
		"pending": billing.PaymentPending, "authorized": billing.PaymentPending, "paid": billing.PaymentSucceeded, "failed": billing.PaymentFailed,
	}[c.Status]
	if !tried || c.Sum.Minor == 0 {
		return nil
	}
	told := &billing.PaymentFact{Status: status, Amount: c.Sum, Dispute: disputed}
	switch status {
	case billing.PaymentSucceeded:
		told.InvoiceID = c.ID
	case billing.PaymentFailed:
		told.Failure = cmp.Or(c.Details.BankReason, strings.ReplaceAll(string(c.Details.FailureReason), "_", " "))
	case billing.PaymentPending:
	}
	fact := s.fact(c.ID)
	fact.Payment = told
	return []billing.Fact{fact}
}

// refund returns a refund of a charge.
func (s sale) refund(b back, of string) billing.Fact {
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

// disputed returns what chargebacks of one charge come to.
func disputed(all []api.Chargeback) billing.Dispute {
	var came billing.Dispute
	for _, one := range all {
		if one.ReversedAt == nil {
			return billing.DisputeOpen
		}
		came = billing.DisputeWon
	}
	return came
}
