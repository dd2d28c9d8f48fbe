package commerce

import (
	"context"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Intents stores calls to be made to a processor, inside a unit of work.
type Intents interface {
	// Put stores a call, not to be made by other replicas before a time.
	Put(ctx context.Context, i billing.Intent, notBefore time.Time) error
	// Done removes a completed call, and reports whether it existed.
	Done(ctx context.Context, id billing.IntentID) (bool, error)
	// OfCheckout returns the pending call of a kind for a checkout, if there is one.
	OfCheckout(ctx context.Context, id billing.CheckoutID, kind billing.IntentKind) (billing.Intent, bool, error)
}

// ProcessorEvents stores events of processors, inside a unit of work.
type ProcessorEvents interface {
	// ByID returns and locks an event. It fails with billing.ErrNoEvent.
	ByID(ctx context.Context, id billing.EventID) (billing.ProcessorEvent, error)
	// Save stores the state of an event; again is when it is next applied, or zero.
	Save(ctx context.Context, t billing.ProcessorEvent, again time.Time) error
}

// Queues are pending events and calls, shared by all replicas.
type Queues interface {
	// Keep stores an event of a processor, and reports whether it is new.
	Keep(ctx context.Context, t billing.ProcessorEvent, now time.Time) (bool, error)
	// ClaimEvents and ClaimIntents return at most so many due entries, and claim them for
	// billing.Lease.
	ClaimEvents(ctx context.Context, most int, now time.Time) ([]billing.EventID, error)
	ClaimIntents(ctx context.Context, most int, now time.Time) ([]billing.Intent, error)
	// Later postpones a call to a time.
	Later(ctx context.Context, id billing.IntentID, at time.Time) error
}

// ProcessorEventDirectory reads events of processors, outside any transaction.
type ProcessorEventDirectory interface {
	// Find returns an event. It fails with billing.ErrNoEvent.
	Find(ctx context.Context, id billing.EventID) (billing.ProcessorEvent, error)
	// List returns the events that match, newest first.
	List(ctx context.Context, query ProcessorEventQuery) ([]billing.ProcessorEvent, error)
	// Last returns when an event of a processor was last received; zero for never.
	Last(ctx context.Context, at billing.Account) (time.Time, error)
}

// ProcessorEventQuery narrows a list of events; zero values do not narrow.
type ProcessorEventQuery struct {
	// Org is the selling workspace; All includes events of no workspace.
	Org       workspace.ID
	All       bool
	Processor product.Processor
	Status    billing.ProcessorEventStatus
	Type      string
	// Before is the last ID of the previous page.
	Before billing.EventID
	Limit  int
}
