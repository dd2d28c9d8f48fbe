package mailing

import (
	"context"
	"time"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
)

// Digests gathers mail that an address had too much of, inside a unit of work.
type Digests interface {
	// Gather ends the turn of a mail: what it tells is added to the one that waits for the
	// same reader already; else it waits itself, until a time. It fails with mail.ErrLost
	// once the turn is over.
	Gather(ctx context.Context, c mail.Claimed, reader user.ID, until time.Time) error
}
