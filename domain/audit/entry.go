// Package audit defines entries that applications add to their workspace's event log,
// and the hash chain over the log.
package audit

import (
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/external"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// The bounds of entries.
const (
	MaxTargets = 20
	// MaxAhead is how far the application's clock may be ahead of this one.
	MaxAhead = 5 * time.Minute
	// MaxAge is how late an entry may come.
	MaxAge = 30 * 24 * time.Hour
)

// Refusals of entries.
var (
	ErrActor      = fault.Unfit("/actor", "must not be empty: identify who acted")
	ErrTargets    = fault.Unfit("/targets", "must have at most 20 items")
	ErrLarge      = fault.New(fault.Validation, "actor, targets, context and metadata must not exceed 16 KiB in total, as compact JSON")
	ErrDeep       = fault.New(fault.Validation, "actor, targets, context and metadata must not be nested more than 8 levels deep")
	ErrNumber     = fault.New(fault.Validation, "numbers beyond ±9,007,199,254,740,991 would be rounded: send them as strings")
	ErrOccurredAt = fault.Unfit("/occurred_at", "must be within the last 30 days and at most 5 minutes in the future")
)

// KindRecorded is the kind of Recorded.
const KindRecorded event.Kind = "audit.recorded"

// Recorded is the content of audit.recorded. It is the only event with arbitrary
// content, which may contain personal data, and is visible only to those who may read
// the workspace's log.
type Recorded struct {
	OrgID      workspace.ID     `json:"org_id" doc:"ID of the workspace whose log contains the entry."`
	AppID      app.ID           `json:"app_id" doc:"ID of the app that recorded the entry."`
	Action     string           `json:"action" doc:"Action, as stated by the app."`
	Actor      map[string]any   `json:"actor" doc:"Actor of the action, as stated by the app."`
	Targets    []map[string]any `json:"targets" doc:"Objects of the action, as stated by the app."`
	Context    map[string]any   `json:"context" doc:"Circumstances of the action, as stated by the app."`
	Metadata   map[string]any   `json:"metadata" doc:"Additional data from the app."`
	OccurredAt time.Time        `json:"occurred_at" doc:"When the action happened, as stated by the app."`
}

// Kind is audit.recorded.
func (Recorded) Kind() event.Kind { return KindRecorded }

// New makes an entry, of now when it does not say when. It fails with ErrActor,
// ErrTargets, ErrLarge, ErrDeep, ErrNumber or ErrOccurredAt.
func New(r Recorded, now time.Time) (Recorded, error) {
	if r.OccurredAt.IsZero() {
		r.OccurredAt = now
	}
	words := []any{r.Actor, objects(r.Targets), r.Context, r.Metadata}
	switch {
	case len(r.Actor) == 0:
		return Recorded{}, ErrActor
	case len(r.Targets) > MaxTargets:
		return Recorded{}, ErrTargets
	case r.OccurredAt.After(now.Add(MaxAhead)), r.OccurredAt.Before(now.Add(-MaxAge)):
		return Recorded{}, ErrOccurredAt
	case external.Depth(words) > 1+external.MaxDepth:
		return Recorded{}, ErrDeep
	case external.Size(words) > external.MaxBytes:
		return Recorded{}, ErrLarge
	case external.Rounded(words):
		return Recorded{}, ErrNumber
	}
	return r, nil
}

func objects(targets []map[string]any) []any {
	list := make([]any, len(targets))
	for i, target := range targets {
		list[i] = target
	}
	return list
}

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{{
		Summary: "An app recorded an audit entry in its workspace's log.",
		Example: Recorded{
			OrgID: "org_01jd7x9k2mf3q8v5t0abcdefgh", AppID: "0193c1a2-7b1e-7c3d-9a5f-0123456789ab", Action: "invoice.approved",
			Actor: map[string]any{"id": "42", "type": "employee"}, Targets: []map[string]any{{"id": "2026-118", "type": "invoice"}},
			Context: map[string]any{"location": "203.0.113.7"}, Metadata: map[string]any{"amount": 120},
			OccurredAt: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC),
		},
	}, {
		Summary: "A job exported audit events.",
		Example: Exported{
			JobID: "job_01jd7x9k2mf3q8v5t0abcdefgh", UserID: "usr_01jd7x9k2mf3q8v5t0abcdefgh", OrgID: "org_01jd7x9k2mf3q8v5t0abcdefgh",
			From: time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC), Entries: 1200,
		},
	}}
}
