package stripe

import (
	"strconv"
	"time"

	"gatehouse.internal/adapters/payment"
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
func (v view) session(s session) billing.Fact {
	page := &billing.CheckoutFact{Status: billing.CheckoutOpen, URL: s.URL, ExpiresAt: when(s.ExpiresAt)}
	switch s.Status {
	case "complete":
		page.Status = billing.CheckoutCompleted
	case "expired":
		page.Status = billing.CheckoutExpired
	}
	page.CustomerID = s.Customer.ID
	if len(s.LineItems.Data) == 1 {
		line := s.LineItems.Data[0]
		page.PriceID, page.Quantity = line.Price.ID, max(line.Quantity, 1)
	}
	minor := s.Subtotal - s.TotalDetails.Discount
	page.Subtotal = payment.OfCents(minor, s.Currency)
	// In a trial nothing is due at first; what is due later follows from price and quantity.
	if trial := s.Subscription.Object != nil && s.Subscription.Object.TrialEnd > 0; trial && minor == 0 {
		page.Subtotal.Minor, _ = strconv.ParseInt(s.Metadata[subtotalKey], 10, 64)
	}
	fact := v.fact(s.ID)
	fact.Checkout = page
	return fact
}

// subscription is a subscription, which says whose it is by itself.
func subscription(at time.Time, s sub) billing.Fact {
	told := &billing.SubscriptionFact{
		Status: subscriptionStatus(s), Quantity: 1, TrialEnd: when(s.TrialEnd), CanceledAt: when(s.CanceledAt), EndedAt: when(s.EndedAt),
	}
	if len(s.Items.Data) > 0 {
		item := s.Items.Data[0]
		told.Quantity = max(item.Quantity, 1)
		told.PeriodStart, told.PeriodEnd, told.PriceID = when(item.PeriodStart), when(item.PeriodEnd), item.Price.ID
	}
	return billing.Fact{CheckoutID: billing.CheckoutID(s.Metadata[checkoutKey]), ID: s.ID, At: at, Subscription: told}
}

func subscriptionStatus(s sub) billing.SubscriptionStatus {
	status, known := map[string]billing.SubscriptionStatus{
		"incomplete": billing.Incomplete, "incomplete_expired": billing.Ended, "trialing": billing.Trialing, "active": billing.Active,
		"past_due": billing.PastDue, "unpaid": billing.PastDue, "paused": billing.Paused, "canceled": billing.Ended,
	}[s.Status]
	running := status == billing.Active || status == billing.Trialing
	switch {
	case !known:
		return billing.Incomplete
	case running && s.Pause != nil:
		return billing.Paused
	case running && (s.AtPeriodEnd || s.CancelAt > 0):
		return billing.Canceled
	}
	return status
}

// invoice is an invoice; none for a draft, and for a credit, which nobody pays.
func (v view) invoice(i bill) []billing.Fact {
	status, written := map[string]billing.InvoiceStatus{
		"open": billing.InvoiceOpen, "paid": billing.InvoicePaid, "void": billing.InvoiceVoid, "uncollectible": billing.InvoiceUncollectible,
	}[i.Status]
	if !written || i.Total < 0 {
		return nil
	}
	shown := &billing.InvoiceFact{
		Status: status, Number: i.Number, Currency: payment.Code(i.Currency), Discount: payment.Minor(all(i.Discounts), i.Currency), Tax: payment.Minor(all(i.Taxes), i.Currency),
		Total: payment.Minor(i.Total, i.Currency), IssuedAt: when(max(i.Created, i.Times.FinalizedAt)), PaidAt: when(i.Times.PaidAt),
	}
	// A tax that is within the prices is within Stripe's subtotal.
	shown.Subtotal = shown.Total - shown.Tax + shown.Discount
	for _, line := range i.Lines.Data {
		shown.Lines = append(shown.Lines, billing.Line{
			Description: line.Description, Quantity: max(line.Quantity, 1), Amount: payment.Minor(line.Amount, i.Currency),
		})
		shown.PeriodStart, shown.PeriodEnd = when(line.Period.Start), when(line.Period.End)
	}
	fact := v.fact(i.ID)
	fact.Invoice = shown
	return []billing.Fact{fact}
}

func all(sums []sum) (total int64) {
	for _, one := range sums {
		total += one.Amount
	}
	return total
}

// payment is a payment, with its refunds; none before somebody tried to pay.
func (v view) payment(p intent, invoice string, dispute billing.Dispute) []billing.Fact {
	paid := &billing.PaymentFact{Status: billing.PaymentPending, InvoiceID: invoice, Amount: payment.OfCents(p.Amount, p.Currency), Dispute: dispute}
	switch p.Status {
	case "succeeded":
		paid.Status, paid.Amount = billing.PaymentSucceeded, payment.OfCents(p.Received, p.Currency)
	case "canceled":
		paid.Status = billing.PaymentFailed
	case "requires_payment_method":
		if p.Failure == nil {
			return nil
		}
		paid.Status = billing.PaymentFailed
	}
	if p.Failure != nil && paid.Status == billing.PaymentFailed {
		paid.Failure = p.Failure.Message
	}
	fact := v.fact(p.ID)
	fact.Payment = paid
	facts := []billing.Fact{fact}
	if p.Charge.Object != nil {
		for _, one := range p.Charge.Object.Refunds.Data {
			facts = append(facts, v.refund(one, p.ID))
		}
	}
	return facts
}

func (v view) refund(r back, paid string) billing.Fact {
	status, known := map[string]billing.RefundStatus{
		"succeeded": billing.RefundSucceeded, "failed": billing.RefundFailed, "canceled": billing.RefundFailed,
	}[r.Status]
	if !known {
		status = billing.RefundPending
	}
	fact := v.fact(r.ID)
	fact.Refund = &billing.RefundFact{
		RefundID: billing.RefundID(r.Metadata[refundKey]), Status: status, PaymentID: paid, Amount: payment.OfCents(r.Amount, r.Currency), Failure: r.Failure,
	}
	return fact
}
