package outbound

import "time"

// Clock returns the time in UTC, truncated to microseconds, the precision of all
// supported databases.
type Clock interface{ Now() time.Time }
