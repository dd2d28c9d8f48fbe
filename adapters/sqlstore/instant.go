package sqlstore

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// instant is a time as both databases keep it: UTC, whole microseconds, and NULL
// for the zero time. PostgreSQL gives a time back, SQLite a count of microseconds
// since the Unix epoch.
type instant struct{ time.Time }

// at makes the stored form of a time.
func at(t time.Time) instant { return instant{t} }

// Value is what the driver stores.
func (i instant) Value() (driver.Value, error) {
	if i.IsZero() {
		return nil, nil //nolint:nilnil // NULL is nil to a driver.
	}
	return i.UTC().Truncate(time.Microsecond), nil
}

// Scan reads what the driver gives.
func (i *instant) Scan(stored any) error {
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
