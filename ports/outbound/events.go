package outbound

import (
	"context"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Events records events of no aggregate, inside a unit of work. Events of aggregates
// are stored when those are saved.
type Events interface {
	Record(ctx context.Context, happened ...event.Data) error
	// RecordChange records an event with a change of configuration that is no
	// aggregate.
	RecordChange(ctx context.Context, happened event.Data, change event.Change) error
}

// AuditTrail searches the event log, outside any transaction.
type AuditTrail interface {
	// Search returns the events that match, newest first.
	Search(ctx context.Context, query AuditQuery) ([]event.Record, error)
	// Changes returns the configuration changes that match, newest first.
	Changes(ctx context.Context, query ChangeQuery) ([]Changed, error)
}

// ChangeQuery filters changes; zero values do not filter.
type ChangeQuery struct {
	// Org is the workspace of the configuration, Resource the first part of the event
	// kind, such as role, and Object the identifier of the changed object.
	Org      workspace.ID
	Resource string
	Object   string
	ActorID  string
	// From is inclusive, and To exclusive.
	From, To time.Time
	// Before is the last ID of the previous page.
	Before event.ID
	Limit  int
}

// Changed is an event with the change it describes.
type Changed struct {
	event.Record
	event.Change
}

// AuditQuery filters a search; zero values do not filter.
type AuditQuery struct {
	User user.ID
	// Org selects the events of a workspace, and Own those that concern or were caused
	// by a person. If both are set, either suffices.
	Org       workspace.ID
	Own       user.ID
	IP        string
	Kind      event.Kind
	Outcome   event.Outcome
	ActorID   string
	RequestID string
	// From is inclusive, and To exclusive.
	From, To time.Time
	// Before is the last ID of the previous page.
	Before event.ID
	Limit  int
}
