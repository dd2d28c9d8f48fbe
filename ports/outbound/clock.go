package outbound

import "time"

// Clock reports the time, in UTC and whole microseconds: what every database keeps.
type Clock interface{ Now() time.Time }
