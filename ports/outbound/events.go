package outbound

import (
	"context"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Events records what belongs to no aggregate, inside a unit of work. Events of
// aggregates are stored when those are saved.
type Events interface {
	Record(ctx context.Context, happened ...event.Data) error
	// RecordChange records an event with what it did to configuration that is no aggregate.
	RecordChange(ctx context.Context, happened event.Data, change event.Change) error
}

// AuditTrail searches the event log, outside any transaction.
type AuditTrail interface {
	// Search returns the events that match, newest first.
	Search(ctx context.Context, query AuditQuery) ([]event.Record, error)
	// Changes returns the changes of configuration that match, newest first.
	Changes(ctx context.Context, query ChangeQuery) ([]Changed, error)
}

// ChangeQuery narrows a search for changes; zero values do not narrow.
type ChangeQuery struct {
	// Org is whose configuration changed, Resource the first half of the kinds of events, such
	// as role, and Object the identifier of what changed.
	Org      workspace.ID
	Resource string
	Object   string
	ActorID  string
	// From is the first moment, To the first one beyond.
	From, To time.Time
	// Before is the last id of the page before.
	Before event.ID
	Limit  int
}

// Changed is an event with what it did.
type Changed struct {
	event.Record
	event.Change
}

// AuditQuery narrows a search; zero values do not narrow.
type AuditQuery struct {
	User user.ID
	// Org narrows to the events of a workspace, Own to those that concern a
	// person or that the person caused. With both set, either suffices.
	Org       workspace.ID
	Own       user.ID
	IP        string
	Kind      event.Kind
	Outcome   event.Outcome
	ActorID   string
	RequestID string
	// From is the first moment, To the first one beyond.
	From, To time.Time
	// Before is the last id of the page before.
	Before event.ID
	Limit  int
}
