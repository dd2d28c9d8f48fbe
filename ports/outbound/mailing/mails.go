package mailing

import (
	"context"

	"gatehouse.internal/domain/mail"
)

// Mails queues requests for mail, inside a unit of work.
type Mails interface {
	// Queue stores a request, which is executed after the unit commits. It ignores a
	// request whose Once was queued before. It takes the same time for any recipient.
	Queue(ctx context.Context, r mail.Request) error
}
