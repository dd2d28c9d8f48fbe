package system

import (
	"time"

	"gatehouse.internal/ports/outbound"
)

// Clock is the machine's clock. Its zero value is ready for use.
type Clock struct {
	// Offset is added to the time, so that a developer can try what happens
	// later (CLOCK_OFFSET, contract section 13).
	Offset time.Duration
}

var _ outbound.Clock = Clock{}

// Now returns the time in UTC, cut to whole microseconds. It carries no monotonic
// reading, so that it equals what a database returns.
func (c Clock) Now() time.Time {
	return time.Now().Add(c.Offset).UTC().Truncate(time.Microsecond)
}
