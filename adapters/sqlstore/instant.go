package sqlstore

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// Instant is a time as both databases store it: in UTC, in whole microseconds, with NULL for
// the zero time. PostgreSQL returns a time, SQLite the number of microseconds since the Unix
// epoch.
type Instant struct{ time.Time }

// At returns the stored form of a time.
func At(t time.Time) Instant { return Instant{t} }

// Value implements driver.Valuer.
func (i Instant) Value() (driver.Value, error) {
	if i.IsZero() {
		return nil, nil //nolint:nilnil // NULL is nil to a driver.
	}
	return i.UTC().Truncate(time.Microsecond), nil
}

// Scan implements sql.Scanner.
func (i *Instant) Scan(stored any) error {
	switch v := stored.(type) {
	case nil:
		i.Time = time.Time{}
	case time.Time:
		i.Time = v.UTC()
	case int64:
		i.Time = time.UnixMicro(v).UTC()
	default:
		return fmt.Errorf("unexpected type of a stored time: %T", stored)
	}
	return nil
}

// EarliestUUID returns the common prefix of the UUIDv7 of a millisecond, which sorts before all
// of them (RFC 9562 section 5.7).
func EarliestUUID(moment time.Time) string {
	const low = 16
	millis := max(0, moment.UnixMilli())
	return fmt.Sprintf("%08x-%04x", millis>>low, millis&(1<<low-1))
}
