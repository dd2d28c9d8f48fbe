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

// approvalTime is how long the buyer can approve an order or a subscription.
const approvalTime = 3 * time.Hour

// checkoutFact returns the checkout. The buyer agrees by the approval. An order is complete once it is captured, and a
// subscription once it is paid or its trial begins.
func (s sale) checkoutFact() billing.Fact {
	state := &billing.CheckoutFact{Status: billing.CheckoutOpen, PriceID: s.price, Quantity: max(s.quantity, 1), Subtotal: s.agreed()}
	if s.interval != "" {
		state.PriceID, state.URL = s.sub.PlanID, s.sub.to("approve")
		state.ExpiresAt = s.sub.CreatedAt.Add(approvalTime)
		switch {
		case s.begun():
			state.Status = billing.CheckoutCompleted
		case s.sub.Status == "APPROVED":
			state.Agreed = true
		case s.sub.Status == "CANCELLED", s.sub.Status == "EXPIRED":
			state.Status = billing.CheckoutExpired
		}
		fact := s.fact(s.sub.ID)
		fact.Checkout = state
		return fact
	}
	state.URL, state.ExpiresAt = s.order.to("payer-action", "approve"), s.order.CreatedAt.Add(approvalTime)
	switch {
	case s.lastPaid().paid():
		state.Status = billing.CheckoutCompleted
	case s.order.Status == "APPROVED":
		state.Agreed = true
	case s.order.Status == "VOIDED":
		state.Status = billing.CheckoutExpired
	}
	fact := s.fact(s.order.ID)
	fact.Checkout = state
	return fact
}

// expiredCheckout returns the checkout of an order that PayPal has deleted because it was not paid in time.
func expiredCheckout(id string, at time.Time) billing.Fact {
	return billing.Fact{ID: id, At: at, Checkout: &billing.CheckoutFact{Status: billing.CheckoutExpired}}
}

// subscription returns the subscription, which is only valid if begun reports true.
func (s sale) subscription() billing.Fact {
	status, ended := s.status()
	state := &billing.SubscriptionFact{Status: status, PriceID: s.sub.PlanID, Quantity: max(s.quantity, 1), EndedAt: ended}
	state.PeriodStart, state.PeriodEnd = s.period()
	if s.trial() {
		state.TrialEnd = s.sub.Start
	}
	if status == billing.Canceled || status == billing.Ended {
		state.PeriodEnd, state.CanceledAt = s.paidUntil(), s.sub.ChangedAt
	}
	fact := s.fact(s.sub.ID)
	fact.Subscription = state
	return fact
}

// invoice returns the invoice of a paid charge; nil for others.
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

// payment returns the payment of a charge, paid or not; nil for an amount of 0.
func (s sale) payment(c charge, disputed billing.Dispute) []billing.Fact {
	if c.amount.Minor <= 0 {
		return nil
	}
	state := &billing.PaymentFact{Status: billing.PaymentPending, Amount: c.amount, Dispute: disputed}
	switch {
	case c.paid():
		state.Status, state.InvoiceID = billing.PaymentSucceeded, c.id
		if s.interval == "" && s.captured() < s.agreed().Minor {
			state.Due = s.agreed()
		}
	case c.status == "DECLINED", c.status == "FAILED":
		state.Status, state.Failure = billing.PaymentFailed, strings.ToLower(cmp.Or(c.failure, c.status))
	}
	fact := s.fact(c.id)
	fact.Payment = state
	return []billing.Fact{fact}
}

// refund returns a refund of a charge. One that was created at PayPal has the custom id of the charge, or none.
func (s sale) refund(b refund, of string) billing.Fact {
	state := &billing.RefundFact{Status: billing.RefundPending, PaymentID: of, Amount: b.Amount.Amount, Failure: strings.ToLower(b.StatusDetails.Reason)}
	if strings.HasPrefix(b.CustomID, ourRefund) {
		state.RefundID = billing.RefundID(b.CustomID)
	}
	switch b.Status {
	case "COMPLETED":
		state.Status, state.Failure = billing.RefundSucceeded, ""
	case "FAILED", "CANCELLED":
		state.Status = billing.RefundFailed
	}
	fact := s.fact(b.ID)
	fact.Refund = state
	return fact
}

// disputed returns the state of the disputes of a charge.
func disputed(all []dispute) billing.Dispute {
	var state billing.Dispute
	for _, one := range all {
		switch {
		case one.Status != "RESOLVED":
			return billing.DisputeOpen
		case one.Outcome.Code == "RESOLVED_BUYER_FAVOUR", one.Outcome.Code == "ACCEPTED":
			state = billing.DisputeLost
		case state == "":
			state = billing.DisputeWon
		}
	}
	return state
}
