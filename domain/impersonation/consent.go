package impersonation

import (
	"time"

	"gatehouse.internal/domain/fault"
)

// MostConsent is how far ahead a person may allow support to act as them.
const MostConsent = 90 * 24 * time.Hour

// ErrAllowed refuses a consent that is over already, or lasts for too long.
var ErrAllowed = fault.Unfit("/allowed_until", "must be in the future and at most 90 days from now")

// CheckConsent fails with ErrAllowed for a time until which nobody may allow support to act as them.
// Zero, which is no more, passes.
func CheckConsent(until, now time.Time) error {
	if !until.IsZero() && (!until.After(now) || until.After(now.Add(MostConsent))) {
		return ErrAllowed
	}
	return nil
}
