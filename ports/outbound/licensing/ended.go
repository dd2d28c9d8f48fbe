package licensing

import (
	"context"
	"time"

	"gatehouse.internal/domain/event"
)

// Ended finds what the clock has ended and no event told yet, inside a unit of work. What
// is returned counts as told when that ends well; each method holds off every other
// transaction that calls it. Nothing is told of workspaces that are deleted.
type Ended interface {
	// Licences looks at so many licences that expired, their days of grace included, and
	// have not been renewed, suspended or revoked since. It reports whether there are more.
	Licences(ctx context.Context, now time.Time, most int) (told []event.Data, more bool, err error)
	// Leases does the same with leases of floating seats that ran out.
	Leases(ctx context.Context, now time.Time, most int) (told []event.Data, more bool, err error)
	// Machines does the same with machines that lapsed and have not come back.
	Machines(ctx context.Context, now time.Time, most int) (told []event.Data, more bool, err error)
}
