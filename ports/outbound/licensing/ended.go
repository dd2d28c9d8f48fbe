package licensing

import (
	"context"
	"time"

	"gatehouse.internal/domain/event"
)

// Ended finds objects that have expired without an event yet, inside a unit of work.
// Results count as reported if the unit commits. Each method blocks concurrent calls
// until the transaction ends. Deleted workspaces are excluded.
type Ended interface {
	// Licenses returns events of at most so many licenses that have expired, including
	// their grace period, and have not been renewed, suspended or revoked since. It
	// reports whether there are more.
	Licenses(ctx context.Context, now time.Time, most int) (events []event.Data, more bool, err error)
	// Leases does the same for expired leases of floating seats.
	Leases(ctx context.Context, now time.Time, most int) (events []event.Data, more bool, err error)
	// Machines does the same for machines that lapsed and have not returned.
	Machines(ctx context.Context, now time.Time, most int) (events []event.Data, more bool, err error)
}
