package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/outbound"
)

// AuditLog returns the port that adds events to the log and reads them.
func (t *Tx) AuditLog() outbound.AuditLog { return auditLog{t} }

type auditLog struct{ tx *Tx }

// Add stores an event and reads it back.
func (l auditLog) Add(ctx context.Context, happened event.Data) (event.Record, error) {
	encoded, err := l.tx.store.eventRow(event.OriginOf(ctx), happened)
	if err != nil {
		return event.Record{}, err
	}
	if err := l.tx.insertEvents(ctx, Rows{encoded}); err != nil {
		return event.Record{}, err
	}
	l.tx.kinds = append(l.tx.kinds, happened.Kind())
	var stored storedEvent
	if err := l.tx.Get(ctx, &stored, "SELECT "+shownColumns+" FROM events WHERE id = ?", encoded[0]); err != nil {
		return event.Record{}, fmt.Errorf("read an event: %w", err)
	}
	return auditTrail{l.tx.store}.record(&stored)
}
