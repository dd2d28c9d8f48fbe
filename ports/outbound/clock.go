package outbound

import "time"

// Clock tells the time, in UTC and whole microseconds: what every database keeps.
type Clock interface{ Now() time.Time }
