package outbound

import (
	"context"

	"gatehouse.internal/domain/event"
)

// AuditLog appends to the event log, inside a unit of work.
type AuditLog interface {
	// Add stores an event and returns it as AuditTrail would.
	Add(ctx context.Context, happened event.Data) (event.Record, error)
}
