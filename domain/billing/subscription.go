package billing

import (
	"slices"
	"time"

	"gatehouse.internal/domain/fault"
)

// Errors of subscriptions.
var (
	ErrNoSubscription = fault.New(fault.NotFound, "no such subscription")
	ErrOver           = fault.New(fault.Validation, "the subscription has ended or is already canceled")
	ErrNotCanceled    = fault.New(fault.Validation, "the subscription cannot be resumed: it is not canceled, or has ended and must be bought again")
)

// SubscriptionStatus is the state of a subscription.
type SubscriptionStatus string

// States of subscriptions. A canceled one ends with its period, and grants access until
// then; an ended one never grants access again.
const (
	Incomplete SubscriptionStatus = "incomplete"
	Trialing   SubscriptionStatus = "trialing"
	Active     SubscriptionStatus = "active"
	PastDue    SubscriptionStatus = "past_due"
	Paused     SubscriptionStatus = "paused"
	Canceled   SubscriptionStatus = "canceled"
	Ended      SubscriptionStatus = "ended"
)

// SubscriptionStatuses lists the states, each later in rank than those before.
func SubscriptionStatuses() []SubscriptionStatus {
	return []SubscriptionStatus{Incomplete, Trialing, Active, PastDue, Paused, Canceled, Ended}
}

func (s SubscriptionStatus) rank() int {
	for i, one := range SubscriptionStatuses() {
		if one == s {
			return i + 1
		}
	}
	return 0
}

// Proration determines when the difference of a change within a period is charged.
type Proration string

// The prorations: at once, with the next invoice, or never.
const (
	ProrateNow  Proration = "now"
	ProrateNext Proration = "next"
	ProrateNone Proration = "none"
)

// SubscriptionSnapshot is the stored state of a subscription.
type SubscriptionSnapshot struct {
	Sale

	ID                     SubscriptionID
	Remote                 Remote
	PriceID                PriceID
	Quantity               int64
	Status                 SubscriptionStatus
	PeriodStart, PeriodEnd time.Time
	TrialEnd               time.Time
	CanceledAt, EndedAt    time.Time
	// Reason is why it was canceled.
	Reason   string
	Discount Discount
	// Coupons are the codes of those that it was discounted by.
	Coupons   []Code
	CreatedAt time.Time
}

// Subscription is a recurring purchase.
type Subscription struct {
	root
	s SubscriptionSnapshot
}

// Subscribe makes the subscription of a sale, which has no state before it takes a fact.
func Subscribe(id SubscriptionID, of CheckoutSnapshot, now time.Time) *Subscription {
	s := &Subscription{s: SubscriptionSnapshot{Sale: of.Sale, ID: id, PriceID: of.PriceID, Quantity: of.Quantity, CreatedAt: now}}
	if of.Coupon != "" {
		s.Redeemed(of.Coupon, of.Discount)
	}
	return s
}

// RestoreSubscription returns the subscription that was stored.
func RestoreSubscription(s SubscriptionSnapshot, version int64) *Subscription {
	return &Subscription{root: at(version), s: s}
}

// Snapshot returns the state to store.
func (s *Subscription) Snapshot() SubscriptionSnapshot { return s.s }

// Take takes a fact, and reports whether it changed anything. price is the one of ours that
// the fact names; zero for none. Where that is of another product, the subscription is one of
// that product from now on. A sale has one subscription, but that a processor may resume a
// canceled one by another: else it fails with ErrLie for another.
func (s *Subscription) Take(f Fact, price PriceRef) (bool, error) {
	reported := *f.Subscription
	if s.s.Status == Ended {
		return false, nil
	}
	if !s.s.Remote.is(f.ID) && s.s.Status != Canceled {
		return false, ErrLie
	}
	if !s.s.Remote.take(f.ID, f.At, reported.Status.rank(), s.s.Status.rank()) {
		return false, nil
	}
	before := s.s
	s.s.Status, s.s.Quantity = reported.Status, reported.Quantity
	if price != (PriceRef{}) {
		s.s.PriceID, s.s.ProductID = price.ID, price.ProductID
	}
	s.s.PeriodStart, s.s.PeriodEnd, s.s.TrialEnd = reported.PeriodStart, reported.PeriodEnd, reported.TrialEnd
	s.s.CanceledAt, s.s.EndedAt = reported.CanceledAt, reported.EndedAt
	s.announce(before)
	return true, nil
}

func (s *Subscription) announce(before SubscriptionSnapshot) {
	about := aboutSubscription(s.s)
	switch {
	case before.Status == "":
		s.Raise(SubscriptionCreated{about})
	case before.Status == s.s.Status:
		if before.Quantity != s.s.Quantity || before.PriceID != s.s.PriceID || !before.PeriodEnd.Equal(s.s.PeriodEnd) {
			s.Raise(SubscriptionUpdated{about})
		}
	case s.s.Status == PastDue:
		s.Raise(SubscriptionPastDue{about})
	case s.s.Status == Canceled:
		s.Raise(SubscriptionCanceled{about})
	case s.s.Status == Ended:
		s.Raise(SubscriptionEnded{about})
	case before.Status == Canceled:
		s.Raise(SubscriptionResumed{about})
	default:
		s.Raise(SubscriptionUpdated{about})
	}
}

// Running reports whether the subscription continues, or ends with its period.
func (s SubscriptionSnapshot) Running() bool {
	return s.Status != "" && s.Status != Incomplete && s.Status != Ended
}

// MayCancel fails with ErrOver; atPeriodEnd reports whether the subscription is to end
// with its period.
func (s *Subscription) MayCancel(atPeriodEnd bool, reason string) error {
	if !s.s.Running() || (atPeriodEnd && s.s.Status == Canceled) {
		return ErrOver
	}
	s.s.Reason = reason
	return nil
}

// MayChange fails with ErrOver, also for one that is canceled, and with ErrCouponOver for the
// coupon of a discount that it had before: one that holds once would hold for ever.
func (s *Subscription) MayChange(coupon Code) error {
	switch {
	case !s.s.Running() || s.s.Status == Canceled:
		return ErrOver
	case coupon != "" && slices.Contains(s.s.Coupons, coupon):
		return ErrCouponOver
	}
	return nil
}

// Redeemed records the discount from now on, and its coupon.
func (s *Subscription) Redeemed(coupon Code, discount Discount) {
	s.s.Coupons, s.s.Discount = append(slices.Clone(s.s.Coupons), coupon), discount
}

// MayResume fails with ErrNotCanceled.
func (s *Subscription) MayResume() error {
	if s.s.Status != Canceled {
		return ErrNotCanceled
	}
	return nil
}
