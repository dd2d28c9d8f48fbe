package mailing

import (
	"context"
	"time"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
)

// Digests combines mails to an address that receives too many, inside a unit of work.
type Digests interface {
	// Gather completes a claimed mail by adding its content to the waiting digest for
	// the reader, or makes it the digest, which waits until a time. It fails with
	// mail.ErrLost if the claim has expired.
	Gather(ctx context.Context, c mail.ClaimedMail, reader user.ID, until time.Time) error
}
