package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/domain/webhook"
)

// Sender makes delivery attempts. It rejects addresses in private networks, does not
// follow redirects, and limits time and size.
type Sender interface {
	// Check fails for a forbidden address, with a message for its owner. It resolves no
	// names; resolved addresses are checked on each connection.
	Check(address string) error
	// Send makes an attempt, with a signature for its time.
	Send(ctx context.Context, to webhook.Snapshot, message webhook.Message, at time.Time) webhook.Attempt
}
