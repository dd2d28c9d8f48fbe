package stripe

import (
	"strconv"
	"time"

	"github.com/stripe/stripe-go/v85"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// view is the sale to which facts belong, and the time at which they were fetched.
type view struct {
	at       time.Time
	checkout billing.CheckoutID
}

func (v view) fact(id string) billing.Fact {
	return billing.Fact{CheckoutID: v.checkout, ID: id, At: v.at}
}

// when converts a Unix time; 0 to the zero time.
func when(unix int64) time.Time {
	if unix == 0 {
		return time.Time{}
	}
	return time.Unix(unix, 0).UTC()
}

// session returns the checkout of a session with its line items.
func (v view) session(s *stripe.CheckoutSession) billing.Fact {
	page := &billing.CheckoutFact{Status: billing.CheckoutOpen, URL: s.URL, ExpiresAt: when(s.ExpiresAt)}
	switch s.Status {
	case stripe.CheckoutSessionStatusComplete:
		page.Status = billing.CheckoutCompleted
	case stripe.CheckoutSessionStatusExpired:
		page.Status = billing.CheckoutExpired
	case stripe.CheckoutSessionStatusOpen:
	}
	page.CustomerID = payment.Value(s.Customer).ID
	if lines := payment.Value(s.LineItems).Data; len(lines) == 1 {
		page.PriceID, page.Quantity = payment.Value(lines[0].Price).ID, max(lines[0].Quantity, 1)
	}
	minor := s.AmountSubtotal - payment.Value(s.TotalDetails).AmountDiscount
	page.Subtotal = payment.OfCents(minor, string(s.Currency))
	// In a trial nothing is due at first: the agreed subtotal is in the metadata.
	if trial := payment.Value(s.Subscription).TrialEnd > 0; trial && minor == 0 {
		page.Subtotal.Minor, _ = strconv.ParseInt(s.Metadata[subtotalKey], 10, 64)
	}
	fact := v.fact(s.ID)
	fact.Checkout = page
	return fact
}

// subscription returns a subscription, whose metadata has the checkout.
func subscription(at time.Time, s *stripe.Subscription) billing.Fact {
	state := &billing.SubscriptionFact{
		Status: subscriptionStatus(s), Quantity: 1, TrialEnd: when(s.TrialEnd), CanceledAt: when(s.CanceledAt), EndedAt: when(s.EndedAt),
	}
	if items := payment.Value(s.Items).Data; len(items) > 0 {
		item := items[0]
		state.Quantity = max(item.Quantity, 1)
		state.PeriodStart, state.PeriodEnd, state.PriceID = when(item.CurrentPeriodStart), when(item.CurrentPeriodEnd), payment.Value(item.Price).ID
	}
	return billing.Fact{CheckoutID: billing.CheckoutID(s.Metadata[checkoutKey]), ID: s.ID, At: at, Subscription: state}
}

func subscriptionStatus(s *stripe.Subscription) billing.SubscriptionStatus {
	status, known := map[stripe.SubscriptionStatus]billing.SubscriptionStatus{
		stripe.SubscriptionStatusIncomplete: billing.Incomplete, stripe.SubscriptionStatusIncompleteExpired: billing.Ended,
		stripe.SubscriptionStatusTrialing: billing.Trialing, stripe.SubscriptionStatusActive: billing.Active,
		stripe.SubscriptionStatusPastDue: billing.PastDue, stripe.SubscriptionStatusUnpaid: billing.PastDue,
		stripe.SubscriptionStatusPaused: billing.Paused, stripe.SubscriptionStatusCanceled: billing.Ended,
	}[s.Status]
	running := status == billing.Active || status == billing.Trialing
	switch {
	case !known:
		return billing.Incomplete
	case running && s.PauseCollection != nil:
		return billing.Paused
	case running && (s.CancelAtPeriodEnd || s.CancelAt > 0):
		return billing.Canceled
	}
	return status
}

// invoice returns an invoice; nil for a draft, and for a negative amount, which is not paid.
func (v view) invoice(i *stripe.Invoice) []billing.Fact {
	status, written := map[stripe.InvoiceStatus]billing.InvoiceStatus{
		stripe.InvoiceStatusOpen: billing.InvoiceOpen, stripe.InvoiceStatusPaid: billing.InvoicePaid,
		stripe.InvoiceStatusVoid: billing.InvoiceVoid, stripe.InvoiceStatusUncollectible: billing.InvoiceUncollectible,
	}[i.Status]
	if !written || i.Total < 0 {
		return nil
	}
	var off, tax int64
	for _, one := range i.TotalDiscountAmounts {
		off += one.Amount
	}
	for _, one := range i.TotalTaxes {
		tax += one.Amount
	}
	currency, times := string(i.Currency), payment.Value(i.StatusTransitions)
	shown := &billing.InvoiceFact{
		Status: status, Number: i.Number, Currency: payment.Code(currency), Discount: payment.Minor(off, currency), Tax: payment.Minor(tax, currency),
		Total: payment.Minor(i.Total, currency), IssuedAt: when(max(i.Created, times.FinalizedAt)), PaidAt: when(times.PaidAt),
	}
	// The subtotal of Stripe includes inclusive taxes.
	shown.Subtotal = shown.Total - shown.Tax + shown.Discount
	for _, line := range payment.Value(i.Lines).Data {
		shown.Lines = append(shown.Lines, billing.Line{
			Description: line.Description, Quantity: max(line.Quantity, 1), Amount: payment.Minor(line.Amount, currency),
		})
		period := payment.Value(line.Period)
		shown.PeriodStart, shown.PeriodEnd = when(period.Start), when(period.End)
	}
	fact := v.fact(i.ID)
	fact.Invoice = shown
	return []billing.Fact{fact}
}

// payment returns a payment with its refunds; nil before the buyer tried to pay.
func (v view) payment(p *stripe.PaymentIntent, invoice string, dispute billing.Dispute) []billing.Fact {
	paid := &billing.PaymentFact{Status: billing.PaymentPending, InvoiceID: invoice, Amount: payment.OfCents(p.Amount, string(p.Currency)), Dispute: dispute}
	switch p.Status {
	case stripe.PaymentIntentStatusSucceeded:
		paid.Status, paid.Due, paid.Amount = billing.PaymentSucceeded, paid.Amount, payment.OfCents(p.AmountReceived, string(p.Currency))
	case stripe.PaymentIntentStatusCanceled:
		paid.Status = billing.PaymentFailed
	case stripe.PaymentIntentStatusRequiresPaymentMethod:
		if p.LastPaymentError == nil {
			return nil
		}
		paid.Status = billing.PaymentFailed
	case stripe.PaymentIntentStatusProcessing, stripe.PaymentIntentStatusRequiresAction,
		stripe.PaymentIntentStatusRequiresCapture, stripe.PaymentIntentStatusRequiresConfirmation:
	}
	if p.LastPaymentError != nil && paid.Status == billing.PaymentFailed {
		paid.Failure = p.LastPaymentError.Msg
	}
	fact := v.fact(p.ID)
	fact.Payment = paid
	facts := []billing.Fact{fact}
	for _, one := range payment.Value(payment.Value(p.LatestCharge).Refunds).Data {
		facts = append(facts, v.refund(one, p.ID))
	}
	return facts
}

func (v view) refund(r *stripe.Refund, paid string) billing.Fact {
	back := &billing.RefundFact{
		RefundID: billing.RefundID(r.Metadata[refundKey]), Status: billing.RefundPending, PaymentID: paid,
		Amount: payment.OfCents(r.Amount, string(r.Currency)), Failure: string(r.FailureReason),
	}
	switch r.Status {
	case stripe.RefundStatusSucceeded:
		back.Status = billing.RefundSucceeded
	case stripe.RefundStatusFailed, stripe.RefundStatusCanceled:
		back.Status = billing.RefundFailed
	case stripe.RefundStatusPending, stripe.RefundStatusRequiresAction:
	}
	fact := v.fact(r.ID)
	fact.Refund = back
	return fact
}

// disputed returns the state of a dispute; "" for an inquiry, in which no money is withdrawn.
func disputed(s stripe.DisputeStatus) billing.Dispute {
	switch s {
	case stripe.DisputeStatusNeedsResponse, stripe.DisputeStatusUnderReview:
		return billing.DisputeOpen
	case stripe.DisputeStatusLost:
		return billing.DisputeLost
	case stripe.DisputeStatusWon, stripe.DisputeStatusPrevented:
		return billing.DisputeWon
	case stripe.DisputeStatusWarningClosed, stripe.DisputeStatusWarningNeedsResponse, stripe.DisputeStatusWarningUnderReview:
	}
	return ""
}
