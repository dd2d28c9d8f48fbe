package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// AuditLog checks outbound.AuditLog.
func AuditLog(t *testing.T, open Opener) {
	w := newWorld(t, open)
	org := like(w, workspace.ID(""))
	entry, err := audit.New(audit.Recorded{
		OrgID: org, AppID: "0193c1a2-7b1e-7c3d-9a5f-0123456789ab", Action: "invoice.approved",
		Actor: map[string]any{"name": "Ünïcode \"quoted\" <&>"}, OccurredAt: noon().Add(-time.Hour),
	}, noon())
	if err != nil {
		t.Fatal(err)
	}
	origin := event.Origin{
		ActorKind: "app", ActorID: "0193c1a2-7b1e-7c3d-9a5f-0123456789ab", IP: "203.0.113.7",
		UserAgent: "curl", RequestID: "r", Command: "AUDIT.RECORD",
	}
	ctx := event.WithWitness(event.WithOrigin(t.Context(), origin), &event.Witness{})
	var added event.Record
	add := func(tx Repos) (err error) {
		added, err = tx.Log.Add(ctx, entry)
		return err
	}
	if err := w.unit.Do(ctx, add); err != nil {
		t.Fatal(err)
	}
	equal(t, "its origin", added.Origin, origin)
	equal(t, "its time", added.At, noon())
	found, err := w.store.AuditTrail().Search(t.Context(), outbound.AuditQuery{Org: org})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "what is found of it", found, []event.Record{added})
	w.fails(t, errEnough, func(_ context.Context, tx Repos) error {
		if err := add(tx); err != nil {
			return err
		}
		return errEnough
	})
	if found, err = w.store.AuditTrail().Search(t.Context(), outbound.AuditQuery{Org: org}); err != nil || len(found) != 1 {
		t.Errorf("%d entries after one was rolled back (%v)", len(found), err)
	}
}
