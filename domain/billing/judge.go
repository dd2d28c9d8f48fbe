package billing

import (
	"time"

	"gatehouse.internal/domain/money"
)

// Grant is whether a sale grants access.
type Grant string

// Grants: none yet, active, suspended, and ended.
const (
	GrantNone  Grant = "none"
	GrantGiven Grant = "given"
	GrantHeld  Grant = "held"
	GrantEnded Grant = "ended"
)

// Reasons for suspending or ending access, shown to the owner. Billing also uses them
// to recognize what it suspended itself.
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

// Reversible reports whether the reason for revoking a license may be reversed: a
// refund that was reported as successful may fail, and a bank may change the result of
// a dispute.
func Reversible(reason string) bool { return reason == WhyRefunded || reason == WhyLost }

// Verdict is a grant, and until when it applies; zero for no end.
type Verdict struct {
	Grant Grant
	Until time.Time
	Why   string
}

// Money are the amounts of a sale, over all of its payments.
type Money struct {
	// Paid and Refunded are the sums of successful payments and refunds.
	Paid, Refunded money.Amount
	// Payments counts the payments that succeeded.
	Payments int
	// Open and Lost report whether a payment is, or was with success, disputed.
	Open, Lost bool
}

// Terms are further inputs to the decision.
type Terms struct {
	// Recurring sales have a subscription.
	Recurring bool
	// GraceDays is for how long access outlasts a payment that is due.
	GraceDays int
}

// Judge decides what a sale grants: by the checkout, whether it was agreed; by the
// subscription if there is one, else by the payments. Access that was granted is
// suspended if its reason no longer exists, for example if a successful payment is
// later reported as failed.
func Judge(of CheckoutSnapshot, sub *SubscriptionSnapshot, got Money, by Terms, now time.Time) Verdict {
	verdict := judge(of, sub, got, by, now)
	if verdict.Grant == GrantNone && of.LicenseID != "" {
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

// verdict returns the grant of a subscription that has not ended. While a payment is
// overdue, access continues for the grace period; a canceled subscription ends with its
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
