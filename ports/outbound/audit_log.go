package outbound

import (
	"context"

	"gatehouse.internal/domain/event"
)

// AuditLog adds to the event log and shows what was added, inside a unit of work.
type AuditLog interface {
	// Add stores an event and returns it as AuditTrail would find it.
	Add(ctx context.Context, happened event.Data) (event.Record, error)
}
