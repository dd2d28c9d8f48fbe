package billing

import (
	"context"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Intents stores the calls that are to be made, inside a unit of work.
type Intents interface {
	// Put stores a call, which nobody else makes before a time.
	Put(ctx context.Context, i billing.Intent, notBefore time.Time) error
	// Done removes a call whose outcome is stored with it, and reports whether it was there.
	Done(ctx context.Context, id billing.IntentID) (bool, error)
	// OfCheckout reads the call of a kind that is to be made for a checkout, if there is one.
	OfCheckout(ctx context.Context, id billing.CheckoutID, kind billing.IntentKind) (billing.Intent, bool, error)
}

// Told stores what processors told, inside a unit of work.
type Told interface {
	// ByID reads an event, and holds off whoever else would apply it. It fails with
	// billing.ErrNoEvent.
	ByID(ctx context.Context, id billing.EventID) (billing.Told, error)
	// Save stores what became of an event that was read. It is applied again at a time, or
	// not where that is zero.
	Save(ctx context.Context, t billing.Told, again time.Time) error
}

// Queues are what is to be done, for whichever replica takes it.
type Queues interface {
	// Keep stores what a processor told, once; it reports whether that is news.
	Keep(ctx context.Context, t billing.Told, now time.Time) (bool, error)
	// ClaimTold and ClaimIntents take what is due, at most so many, for as long as
	// billing.Lease.
	ClaimTold(ctx context.Context, most int, now time.Time) ([]billing.EventID, error)
	ClaimIntents(ctx context.Context, most int, now time.Time) ([]billing.Intent, error)
	// Later lets a call be made again at a time.
	Later(ctx context.Context, id billing.IntentID, at time.Time) error
}

// ToldDirectory reads what processors told, outside any transaction.
type ToldDirectory interface {
	// Find reads an event. It fails with billing.ErrNoEvent.
	Find(ctx context.Context, id billing.EventID) (billing.Told, error)
	// List returns the events that match, newest first.
	List(ctx context.Context, query ToldQuery) ([]billing.Told, error)
	// Last returns when a processor told of anything; zero for never.
	Last(ctx context.Context, at billing.Account) (time.Time, error)
}

// ToldQuery narrows a list of events; zero values do not narrow.
type ToldQuery struct {
	// Org is whose sales they are about; All shows those of nobody too.
	Org       workspace.ID
	All       bool
	Processor product.Processor
	Status    billing.ToldStatus
	Type      string
	// Before is the last id of the page before.
	Before billing.EventID
	Limit  int
}
