package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
)

// Deliveries stores deliveries, inside a unit of work.
type Deliveries interface {
	// ByID fails with webhook.ErrNoDelivery. It holds off whoever else changes it.
	ByID(ctx context.Context, id webhook.DeliveryID) (webhook.Delivery, error)
	// Of reads the deliveries of events to an endpoint, and holds off whoever else changes them.
	Of(ctx context.Context, to webhook.ID, events []event.Record) ([]webhook.Delivery, error)
	// Make makes pending deliveries of events to an endpoint, where there are none.
	Make(ctx context.Context, to webhook.Snapshot, events []event.Record) error
	// Save stores deliveries that were read.
	Save(ctx context.Context, changed ...webhook.Delivery) error
	// Discard removes dead deliveries, and returns how many.
	Discard(ctx context.Context, which DeadQuery) (int, error)
}

// DeadQuery says which dead deliveries of a workspace are meant.
type DeadQuery struct {
	Org     workspace.ID
	IDs     []webhook.DeliveryID
	Webhook webhook.ID
	Before  time.Time
	Most    int
}

// DeliveryDirectory finds deliveries for reading, outside any transaction.
type DeliveryDirectory interface {
	// Find fails with webhook.ErrNoDelivery.
	Find(ctx context.Context, id webhook.DeliveryID) (webhook.Delivery, error)
	// List returns the deliveries that match, newest first.
	List(ctx context.Context, query DeliveryQuery) ([]webhook.Delivery, error)
	// Attempts returns the attempts of a delivery, in their order.
	Attempts(ctx context.Context, id webhook.DeliveryID) ([]webhook.Attempt, error)
	// Stats counts the deliveries that match.
	Stats(ctx context.Context, query DeliveryQuery) (Stats, error)
}

// DeliveryQuery narrows a list of deliveries; zero values of the other fields do not narrow.
type DeliveryQuery struct {
	// Org is whose deliveries are listed; empty: those of the instance.
	Org     workspace.ID
	Webhook webhook.ID
	// Event is which event they tell of; then Org does not count.
	Event    event.ID
	Status   webhook.Status
	Kind     event.Kind
	From, To time.Time
	// Before is the last id of the page before.
	Before webhook.DeliveryID
	Limit  int
}

// Stats are figures of deliveries.
type Stats struct {
	ByStatus map[webhook.Status]int
	// P50 and P95 say how long the latest attempts that succeeded took.
	P50, P95 time.Duration
}

// Claims is the queue of what is to be sent.
type Claims interface {
	// Wanted reports whether any endpoint wants events.
	Wanted(ctx context.Context) (bool, error)
	// Claim takes deliveries that are due, in fair shares over their endpoints.
	Claim(ctx context.Context, o ClaimOrder) ([]Claimed, error)
	// Finish stores how an attempt went, unless somebody else has the delivery by now.
	Finish(ctx context.Context, c Claimed, a webhook.Attempt) (webhook.Health, error)
}

// ClaimOrder says how much is claimed.
type ClaimOrder struct {
	Most int
	// InFlight is how many deliveries of one endpoint all replicas send at once.
	InFlight int
	// Failing is how many of what is claimed may go to endpoints whose last attempt failed. Of
	// such an endpoint one delivery is sent at a time.
	Failing int
	// After is the endpoint that had its turn last.
	After webhook.ID
	Now   time.Time
}

// Claimed is a delivery that is to be attempted.
type Claimed struct {
	webhook.Delivery

	Turn     int
	Endpoint webhook.Snapshot
	// Event is the zero record where it is not kept any more.
	Event event.Record
}
