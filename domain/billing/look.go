package billing

import "time"

const (
	// News is how long the processor has to tell that a period ended, or a page expired,
	// before it is asked.
	News = time.Hour
	// LookAgain is the pause before it is asked again.
	LookAgain = 6 * time.Hour
)

// LookAt returns when the processor is to be asked for the truth about a sale if it tells nothing
// before; zero for never. sub is nil where there is no subscription.
func LookAt(of CheckoutSnapshot, sub *SubscriptionSnapshot, now time.Time) time.Time {
	var at time.Time
	switch {
	case sub != nil && sub.Running() && !sub.PeriodEnd.IsZero():
		at = sub.PeriodEnd.Add(News)
	case of.Status == CheckoutOpen && !of.ExpiresAt.IsZero():
		at = of.ExpiresAt.Add(News)
	default:
		return at
	}
	if !at.After(now) {
		return now.Add(LookAgain)
	}
	return at
}
