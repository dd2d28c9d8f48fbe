package billing

import (
	"time"

	"gatehouse.internal/domain/money"
)

// Grant is what a sale gives at a time.
type Grant string

// The grants: nothing yet, what was bought, nothing for now, nothing for good.
const (
	GrantNone  Grant = "none"
	GrantGiven Grant = "given"
	GrantHeld  Grant = "held"
	GrantEnded Grant = "ended"
)

// Why access is held or ended, for its owner to read. By these billing knows what it
// suspended itself.
const (
	WhyPastDue  = "A payment is due."
	WhyPaused   = "The subscription is paused."
	WhyDisputed = "A payment is disputed."
	WhyLost     = "A payment was taken back."
	WhyRefunded = "The purchase was refunded."
	WhyEnded    = "The subscription has ended."
	WhyMoved    = "The subscription is one of another product now."
)

// Ours reports whether a suspension was by billing.
func Ours(reason string) bool {
	return reason == WhyPastDue || reason == WhyPaused || reason == WhyDisputed
}

// Reversible reports whether what a licence was revoked for may turn out not to have been so: a
// refund fails after the processor said that it succeeded, or a bank decides again.
func Reversible(reason string) bool { return reason == WhyRefunded || reason == WhyLost }

// Verdict is what a sale gives, and until when; zero for no end.
type Verdict struct {
	Grant Grant
	Until time.Time
	Why   string
}

// Money is what a sale brought, over all of its payments.
type Money struct {
	// Paid and Refunded are the sums of what succeeded.
	Paid, Refunded money.Amount
	// Payments counts the payments that succeeded.
	Payments int
	// Open and Lost report whether a payment is, or was with success, disputed.
	Open, Lost bool
}

// Terms are what a sale is judged by beside its objects.
type Terms struct {
	// Recurring sales have a subscription.
	Recurring bool
	// GraceDays is for how long access outlasts a payment that is due.
	GraceDays int
}

// Judge decides what a sale gives: by the checkout, which says whether it was agreed at all,
// by the subscription where there is one, else by the money. What was given is held where
// nothing is left that it was given for, such as when a payment fails that had succeeded.
func Judge(of CheckoutSnapshot, sub *SubscriptionSnapshot, got Money, by Terms, now time.Time) Verdict {
	verdict := judge(of, sub, got, by, now)
	if verdict.Grant == GrantNone && of.LicenceID != "" {
		return Verdict{Grant: GrantHeld, Why: WhyPastDue}
	}
	return verdict
}

func judge(of CheckoutSnapshot, sub *SubscriptionSnapshot, got Money, by Terms, now time.Time) Verdict {
	switch {
	case of.Status != CheckoutCompleted:
		return Verdict{Grant: GrantNone}
	case got.Lost:
		return Verdict{Grant: GrantEnded, Why: WhyLost}
	case by.Recurring && sub == nil:
		return Verdict{Grant: GrantNone}
	case by.Recurring && sub.Status == Ended:
		return Verdict{Grant: GrantEnded, Why: WhyEnded}
	case by.Recurring:
		given := sub.verdict(time.Duration(by.GraceDays)*24*time.Hour, now)
		if got.Open && given.Grant == GrantGiven {
			given.Grant, given.Why = GrantHeld, WhyDisputed
		}
		return given
	case got.Open:
		return Verdict{Grant: GrantHeld, Why: WhyDisputed}
	case got.Payments > 0 && got.Paid.Minor > 0 && got.Refunded.Minor >= got.Paid.Minor:
		return Verdict{Grant: GrantEnded, Why: WhyRefunded}
	case got.Payments == 0 && of.Subtotal.Minor > 0:
		return Verdict{Grant: GrantNone}
	}
	return Verdict{Grant: GrantGiven}
}

// verdict returns what a subscription that has not ended grants. While a payment is due, access
// outlasts the beginning of the period that is not paid; a canceled one ends with its
// period.
func (s SubscriptionSnapshot) verdict(grace time.Duration, now time.Time) Verdict {
	var until time.Time
	switch s.Status {
	case Trialing, Active:
		until = s.PeriodEnd.Add(grace)
	case PastDue:
		until = s.PeriodStart.Add(grace)
	case Canceled:
		until = s.PeriodEnd
	case Paused:
		return Verdict{Grant: GrantHeld, Why: WhyPaused}
	case Incomplete, Ended:
		return Verdict{Grant: GrantNone}
	}
	if !until.After(now) {
		return Verdict{Grant: GrantHeld, Until: until, Why: WhyPastDue}
	}
	return Verdict{Grant: GrantGiven, Until: until}
}
