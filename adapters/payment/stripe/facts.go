package stripe

import (
	"strconv"
	"time"

	"github.com/stripe/stripe-go/v85"

	"gatehouse.internal/domain/billing"
)

// view is a sale as it is seen from a time on.
type view struct {
	at       time.Time
	checkout billing.CheckoutID
}

func (v view) fact(id string) billing.Fact {
	return billing.Fact{CheckoutID: v.checkout, ID: id, At: v.at}
}

// when is a time of Stripe; 0 is none.
func when(unix int64) time.Time {
	if unix == 0 {
		return time.Time{}
	}
	return time.Unix(unix, 0).UTC()
}

// session is a checkout, with its line items.
func (v view) session(s *stripe.CheckoutSession) billing.Fact {
	page := &billing.CheckoutFact{Status: billing.CheckoutOpen, URL: s.URL, ExpiresAt: when(s.ExpiresAt)}
	switch s.Status {
	case stripe.CheckoutSessionStatusComplete:
		page.Status = billing.CheckoutCompleted
	case stripe.CheckoutSessionStatusExpired:
		page.Status = billing.CheckoutExpired
	case stripe.CheckoutSessionStatusOpen:
	}
	if s.Customer != nil {
		page.CustomerID = s.Customer.ID
	}
	if s.LineItems != nil && len(s.LineItems.Data) == 1 && s.LineItems.Data[0].Price != nil {
		line := s.LineItems.Data[0]
		page.PriceID, page.Quantity = line.Price.ID, max(line.Quantity, 1)
	}
	minor := s.AmountSubtotal
	if s.TotalDetails != nil {
		minor -= s.TotalDetails.AmountDiscount
	}
	page.Subtotal = amount(minor, s.Currency)
	// In a trial nothing is due at first; what is due later follows from price and quantity.
	if trial := s.Subscription != nil && s.Subscription.TrialEnd > 0; trial && minor == 0 {
		page.Subtotal.Minor, _ = strconv.ParseInt(s.Metadata[subtotalKey], 10, 64)
	}
	fact := v.fact(s.ID)
	fact.Checkout = page
	return fact
}

// subscription is a subscription, which says whose it is by itself.
func subscription(at time.Time, s *stripe.Subscription) billing.Fact {
	told := &billing.SubscriptionFact{
		Status: subscriptionStatus(s), Quantity: 1, TrialEnd: when(s.TrialEnd), CanceledAt: when(s.CanceledAt), EndedAt: when(s.EndedAt),
	}
	if s.Items != nil && len(s.Items.Data) > 0 {
		item := s.Items.Data[0]
		told.Quantity = max(item.Quantity, 1)
		told.PeriodStart, told.PeriodEnd = when(item.CurrentPeriodStart), when(item.CurrentPeriodEnd)
		if item.Price != nil {
			told.PriceID = item.Price.ID
		}
	}
	return billing.Fact{CheckoutID: billing.CheckoutID(s.Metadata[checkoutKey]), ID: s.ID, At: at, Subscription: told}
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

// invoice is an invoice; none for a draft, and for a credit, which nobody pays.
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
	bill := &billing.InvoiceFact{
		Status: status, Number: i.Number, Currency: code(i.Currency), Discount: told(off, i.Currency), Tax: told(tax, i.Currency),
		Total: told(i.Total, i.Currency), IssuedAt: when(i.Created),
	}
	// A tax that is within the prices is within Stripe's subtotal.
	bill.Subtotal = bill.Total - bill.Tax + bill.Discount
	if times := i.StatusTransitions; times != nil {
		bill.PaidAt = when(times.PaidAt)
		if times.FinalizedAt > 0 {
			bill.IssuedAt = when(times.FinalizedAt)
		}
	}
	if i.Lines != nil {
		for _, line := range i.Lines.Data {
			bill.Lines = append(bill.Lines, billing.Line{
				Description: line.Description, Quantity: max(line.Quantity, 1), Amount: told(line.Amount, i.Currency),
			})
			if line.Period != nil {
				bill.PeriodStart, bill.PeriodEnd = when(line.Period.Start), when(line.Period.End)
			}
		}
	}
	fact := v.fact(i.ID)
	fact.Invoice = bill
	return []billing.Fact{fact}
}

// payment is a payment, with its refunds; none before somebody tried to pay.
func (v view) payment(p *stripe.PaymentIntent, invoice string, dispute billing.Dispute) []billing.Fact {
	paid := &billing.PaymentFact{Status: billing.PaymentPending, InvoiceID: invoice, Amount: amount(p.Amount, p.Currency), Dispute: dispute}
	switch p.Status {
	case stripe.PaymentIntentStatusSucceeded:
		paid.Status, paid.Amount = billing.PaymentSucceeded, amount(p.AmountReceived, p.Currency)
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
	if p.LatestCharge != nil && p.LatestCharge.Refunds != nil {
		for _, one := range p.LatestCharge.Refunds.Data {
			facts = append(facts, v.refund(one, p.ID))
		}
	}
	return facts
}

func (v view) refund(r *stripe.Refund, payment string) billing.Fact {
	back := &billing.RefundFact{
		RefundID: billing.RefundID(r.Metadata[refundKey]), Status: billing.RefundPending, PaymentID: payment,
		Amount: amount(r.Amount, r.Currency), Failure: string(r.FailureReason),
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

// disputed is the state of a dispute; an inquiry, in which no money moves, is none.
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
