package sqlstore

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// Instant is a time as both databases keep it: UTC, whole microseconds, and NULL
// for the zero time. PostgreSQL gives a time back, SQLite a count of microseconds
// since the Unix epoch.
type Instant struct{ time.Time }

// At makes the stored form of a time.
func At(t time.Time) Instant { return Instant{t} }

// Value is what the driver stores.
func (i Instant) Value() (driver.Value, error) {
	if i.IsZero() {
		return nil, nil //nolint:nilnil // NULL is nil to a driver.
	}
	return i.UTC().Truncate(time.Microsecond), nil
}

// Scan reads what the driver gives.
func (i *Instant) Scan(stored any) error {
	switch v := stored.(type) {
	case nil:
		i.Time = time.Time{}
	case time.Time:
		i.Time = v.UTC()
	case int64:
		i.Time = time.UnixMicro(v).UTC()
	default:
		return fmt.Errorf("a time came from the store as %T", stored)
	}
	return nil
}

// EarliestUUID returns the beginning of the UUIDv7 that are minted in the
// millisecond of a moment, which sorts before all of them (RFC 9562 section 5.7).
func EarliestUUID(moment time.Time) string {
	const low = 16
	millis := max(0, moment.UnixMilli())
	return fmt.Sprintf("%08x-%04x", millis>>low, millis&(1<<low-1))
}
