package paypal

import (
	"cmp"
	"strings"
	"time"

	"gatehouse.internal/domain/billing"
)

func (s sale) fact(id string) billing.Fact {
	return billing.Fact{CheckoutID: s.checkout, ID: id, At: s.at}
}

// open is how long the page of an order may be opened.
const open = 3 * time.Hour

// began returns the checkout. What an order costs was agreed once the buyer approved it; it is
// bought once it is captured, and a subscription once it was paid, or its trial began.
func (s sale) began() billing.Fact {
	told := &billing.CheckoutFact{Status: billing.CheckoutOpen, PriceID: s.price, Quantity: max(s.quantity, 1), Subtotal: s.agreed()}
	if s.interval != "" {
		told.PriceID, told.URL = s.sub.PlanID, s.sub.to("approve")
		told.ExpiresAt = s.sub.CreatedAt.Add(open)
		switch {
		case s.begun():
			told.Status = billing.CheckoutCompleted
		case s.sub.Status == "APPROVED":
			told.Agreed = true
		case s.sub.Status == "CANCELLED", s.sub.Status == "EXPIRED":
			told.Status = billing.CheckoutExpired
		}
		fact := s.fact(s.sub.ID)
		fact.Checkout = told
		return fact
	}
	told.URL, told.ExpiresAt = s.order.to("payer-action", "approve"), s.order.CreatedAt.Add(open)
	switch {
	case s.lastPaid().paid():
		told.Status = billing.CheckoutCompleted
	case s.order.Status == "APPROVED":
		told.Agreed = true
	case s.order.Status == "VOIDED":
		told.Status = billing.CheckoutExpired
	}
	fact := s.fact(s.order.ID)
	fact.Checkout = told
	return fact
}

// gone returns a checkout that PayPal has no longer: nobody paid on its page in time.
func gone(id string, at time.Time) billing.Fact {
	return billing.Fact{ID: id, At: at, Checkout: &billing.CheckoutFact{Status: billing.CheckoutExpired}}
}

// subscription returns the subscription; there is none before it was paid.
func (s sale) subscription() billing.Fact {
	status, ended := s.status()
	told := &billing.SubscriptionFact{Status: status, PriceID: s.sub.PlanID, Quantity: max(s.quantity, 1), EndedAt: ended}
	told.PeriodStart, told.PeriodEnd = s.period()
	if s.trial() {
		told.TrialEnd = s.sub.Start
	}
	if status == billing.Canceled || status == billing.Ended {
		told.PeriodEnd, told.CanceledAt = s.paidUntil(), s.sub.ChangedAt
	}
	fact := s.fact(s.sub.ID)
	fact.Subscription = told
	return fact
}

// invoice returns what was paid by a charge; none before that.
func (s sale) invoice(c charge) []billing.Fact {
	if !c.paid() || c.amount.Minor <= 0 {
		return nil
	}
	net := c.amount.Minor - c.tax
	shown := &billing.InvoiceFact{
		Status: billing.InvoicePaid, Currency: c.amount.Currency, Subtotal: net, Tax: c.tax, Total: c.amount.Minor, IssuedAt: c.at, PaidAt: c.at,
		Lines: []billing.Line{{Description: c.label, Quantity: max(s.quantity, 1), Amount: net}},
	}
	if s.interval != "" {
		shown.PeriodStart, shown.PeriodEnd = c.at, s.interval.Next(c.at, c.at)
	}
	fact := s.fact(c.id)
	fact.Invoice = shown
	return []billing.Fact{fact}
}

// payment returns a charge, whether it was paid or not.
func (s sale) payment(c charge, disputed billing.Dispute) []billing.Fact {
	if c.amount.Minor <= 0 {
		return nil
	}
	told := &billing.PaymentFact{Status: billing.PaymentPending, Amount: c.amount, Dispute: disputed}
	switch {
	case c.paid():
		told.Status, told.InvoiceID = billing.PaymentSucceeded, c.id
	case c.status == "DECLINED", c.status == "FAILED":
		told.Status, told.Failure = billing.PaymentFailed, strings.ToLower(cmp.Or(c.failure, c.status))
	}
	fact := s.fact(c.id)
	fact.Payment = told
	return []billing.Fact{fact}
}

// refund returns a refund of a charge. What was refunded at PayPal has the marks of the charge, or
// none.
func (s sale) refund(b back, of string) billing.Fact {
	told := &billing.RefundFact{Status: billing.RefundPending, PaymentID: of, Amount: b.Amount.Amount, Failure: strings.ToLower(b.StatusDetails.Reason)}
	if strings.HasPrefix(b.CustomID, ourRefund) {
		told.RefundID = billing.RefundID(b.CustomID)
	}
	switch b.Status {
	case "COMPLETED":
		told.Status, told.Failure = billing.RefundSucceeded, ""
	case "FAILED", "CANCELLED":
		told.Status = billing.RefundFailed
	}
	fact := s.fact(b.ID)
	fact.Refund = told
	return fact
}

// disputed returns what complaints about one charge come to.
func disputed(all []dispute) billing.Dispute {
	var came billing.Dispute
	for _, one := range all {
		switch {
		case one.Status != "RESOLVED":
			return billing.DisputeOpen
		case one.Outcome.Code == "RESOLVED_BUYER_FAVOUR", one.Outcome.Code == "ACCEPTED":
			came = billing.DisputeLost
		case came == "":
			came = billing.DisputeWon
		}
	}
	return came
}
