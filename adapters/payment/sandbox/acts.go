package sandbox

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
)

// ErrHookLost says that a sale was changed, but its webhook could not be delivered.
var ErrHookLost = errors.New("the webhook was not delivered: call BILLING.SYNC to update the sale")

// ErrNoAct says that an act is unknown, or not possible in the current state of a sale.
var ErrNoAct = errors.New("this is not possible in the current state of the sale")

// act is an act that a button on the page of a sale performs.
type act struct {
	// Name is the name in the address, and Label the text of the button.
	Name, Label string
	// may reports whether the act is possible, and do performs it.
	may func(*Sale) bool
	do  func(*Sale, time.Time)
}

func (s *Sale) open() bool { return s.Facts[0].Checkout.Status == billing.CheckoutOpen }
func (s *Sale) running() bool {
	sub := s.subscription()
	return sub != nil && sub.Subscription.Status != billing.Ended
}

func (s *Sale) disputed(by billing.Dispute) bool {
	paid := s.paid()
	return paid != nil && paid.Payment.Dispute == by
}

// acts returns all acts, in the order of the buttons.
func acts() []act {
	return []act{
		{"pay", "Pay", (*Sale).open, (*Sale).pay},
		{"fail", "Fail payment", (*Sale).open, func(s *Sale, now time.Time) { s.bill(s.First, now, now, now, false) }},
		{"renew", "Renew", (*Sale).running, func(s *Sale, now time.Time) { s.renew(now, true) }},
		{"fail-renewal", "Fail renewal", (*Sale).running, func(s *Sale, now time.Time) { s.renew(now, false) }},
		{"pay-due", "Pay outstanding invoice", func(s *Sale) bool { return !s.open() && s.due() != nil }, (*Sale).payDue},
		{"end", "End subscription", (*Sale).running, (*Sale).end},
		{"dispute", "Dispute payment", func(s *Sale) bool { return s.disputed("") }, dispute(billing.DisputeOpen)},
		{"win", "Resolve dispute for the seller", func(s *Sale) bool { return s.disputed(billing.DisputeOpen) }, dispute(billing.DisputeWon)},
		{"lose", "Resolve dispute for the buyer", func(s *Sale) bool { return s.disputed(billing.DisputeOpen) }, dispute(billing.DisputeLost)},
		{"refund", "Refund payment", func(s *Sale) bool {
			paid := s.paid()
			return paid != nil && s.refunded(paid.ID) < paid.Payment.Amount.Minor
		}, (*Sale).refund},
	}
}

// Act performs an act on a sale, and sends the webhook. It fails with ErrNoSale, ErrNoAct or ErrHookLost.
func (s *Sandbox) Act(ctx context.Context, id, name string) error {
	for _, one := range acts() {
		if one.Name != name {
			continue
		}
		var since time.Time
		of, err := s.change(ctx, id, func(of *Sale, now time.Time) error {
			if !one.may(of) {
				return ErrNoAct
			}
			since = now
			one.do(of, now)
			of.HookCount++
			return nil
		})
		if err != nil {
			return err
		}
		return s.send(ctx, &of, name, since)
	}
	return ErrNoAct
}

func (s *Sale) pay(now time.Time) {
	page := *s.Facts[0].Checkout
	page.Status = billing.CheckoutCompleted
	s.put(s.ID, now, billing.Fact{Checkout: &page})
	if s.Interval == billing.Once {
		s.bill(s.First, now, now, now, true)
		return
	}
	sub := billing.SubscriptionFact{
		Status: billing.Active, PriceID: s.PriceID, Quantity: s.Quantity, PeriodStart: now, PeriodEnd: s.Interval.Next(now, now),
	}
	first := s.First
	if s.TrialDays > 0 {
		sub.Status, sub.TrialEnd = billing.Trialing, now.AddDate(0, 0, s.TrialDays)
		sub.PeriodEnd, first.Minor = sub.TrialEnd, 0
	}
	s.add("sub", now, billing.Fact{Subscription: &sub})
	s.bill(first, now, sub.PeriodEnd, now, true)
}

// renew begins the next period, or ends a canceled subscription.
func (s *Sale) renew(now time.Time, pays bool) {
	held := s.subscription()
	if held.Subscription.Status == billing.Canceled {
		s.end(now)
		return
	}
	sub := *held.Subscription
	sub.PeriodStart = sub.PeriodEnd
	sub.PeriodEnd = s.Interval.Next(sub.PeriodStart, sub.PeriodStart)
	sub.Status = billing.Active
	if !pays {
		sub.Status = billing.PastDue
	}
	s.put(held.ID, now, billing.Fact{Subscription: &sub})
	s.bill(s.renewal(sub.PeriodStart), sub.PeriodStart, sub.PeriodEnd, now, pays)
}

func (s *Sale) payDue(now time.Time) {
	due := s.due()
	invoice := *due.Invoice
	invoice.Status, invoice.PaidAt = billing.InvoicePaid, now
	written := s.put(due.ID, now, billing.Fact{Invoice: &invoice})
	s.add("pay", now, billing.Fact{Payment: &billing.PaymentFact{
		Status: billing.PaymentSucceeded, InvoiceID: written.ID, Amount: money.Of(invoice.Total, invoice.Currency),
	}})
	if held := s.subscription(); held != nil && held.Subscription.Status == billing.PastDue {
		sub := *held.Subscription
		sub.Status = billing.Active
		s.put(held.ID, now, billing.Fact{Subscription: &sub})
	}
}

func (s *Sale) end(now time.Time) {
	held := s.subscription()
	sub := *held.Subscription
	sub.Status, sub.EndedAt = billing.Ended, now
	s.put(held.ID, now, billing.Fact{Subscription: &sub})
}

func dispute(to billing.Dispute) func(*Sale, time.Time) {
	return func(s *Sale, now time.Time) {
		held := s.paid()
		payment := *held.Payment
		payment.Dispute = to
		s.put(held.ID, now, billing.Fact{Payment: &payment})
	}
}

func (s *Sale) refund(now time.Time) {
	paid := s.paid()
	left := paid.Payment.Amount
	left.Minor -= s.refunded(paid.ID)
	s.add("rfd", now, billing.Fact{Refund: &billing.RefundFact{Status: billing.RefundSucceeded, PaymentID: paid.ID, Amount: left}})
}
