package outbound

import "time"

// Clock returns the time, in UTC and whole microseconds: what every database keeps.
type Clock interface{ Now() time.Time }
