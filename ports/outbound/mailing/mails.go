package mailing

import (
	"context"

	"gatehouse.internal/domain/mail"
)

// Mails takes requests for mail, inside a unit of work.
type Mails interface {
	// Queue stores a request, which is carried out after the unit commits. One whose
	// Once was queued before is left out. It does the same work whoever it is for.
	Queue(ctx context.Context, r mail.Request) error
}
