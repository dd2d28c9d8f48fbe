package billing

import "time"

const (
	// News is how long a processor has to report the end of a period or the expiry of a
	// page, before it is asked.
	News = time.Hour
	// LookAgain is the pause before it is asked again.
	LookAgain = 6 * time.Hour
)

// LookAt returns when the state of a sale is fetched from the processor if there is no
// report before; zero for never. sub is nil if there is no subscription.
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
