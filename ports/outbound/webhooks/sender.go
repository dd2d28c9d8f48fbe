package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/domain/webhook"
)

// Sender makes attempts. It refuses addresses within private networks, follows no redirect,
// and bounds time and what it reads.
type Sender interface {
	// Check fails for an address that nothing may be sent to, in words that its owner can act
	// on. It looks no name up: what a name stands for is checked whenever it connects.
	Check(address string) error
	// Send makes one attempt at a time, with a signature made for that.
	Send(ctx context.Context, to webhook.Snapshot, message webhook.Message, at time.Time) webhook.Attempt
}
