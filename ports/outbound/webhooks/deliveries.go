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
	// ByID returns and locks a delivery. It fails with webhook.ErrNoDelivery.
	ByID(ctx context.Context, id webhook.DeliveryID) (webhook.Delivery, error)
	// Of returns and locks the deliveries of events to an endpoint.
	Of(ctx context.Context, to webhook.ID, events []event.Record) ([]webhook.Delivery, error)
	// Make creates pending deliveries of events to an endpoint, unless they exist.
	Make(ctx context.Context, to webhook.Snapshot, events []event.Record) error
	// Save stores changed deliveries.
	Save(ctx context.Context, changed ...webhook.Delivery) error
	// Discard deletes dead deliveries, and returns their number.
	Discard(ctx context.Context, which DeadQuery) (int, error)
}

// DeadQuery selects dead deliveries of a workspace.
type DeadQuery struct {
	Org     workspace.ID
	IDs     []webhook.DeliveryID
	Webhook webhook.ID
	Before  time.Time
	Most    int
}

// DeliveryDirectory reads deliveries, outside any transaction.
type DeliveryDirectory interface {
	// Find returns a delivery. It fails with webhook.ErrNoDelivery.
	Find(ctx context.Context, id webhook.DeliveryID) (webhook.Delivery, error)
	// List returns the deliveries that match, newest first.
	List(ctx context.Context, query DeliveryQuery) ([]webhook.Delivery, error)
	// Attempts returns the attempts of a delivery, in order.
	Attempts(ctx context.Context, id webhook.DeliveryID) ([]webhook.Attempt, error)
	// Stats returns statistics of the deliveries that match.
	Stats(ctx context.Context, query DeliveryQuery) (Stats, error)
}

// DeliveryQuery narrows a list of deliveries; zero values of the other fields do not narrow.
type DeliveryQuery struct {
	// Org is the workspace of the deliveries; empty for those of the instance.
	Org     workspace.ID
	Webhook webhook.ID
	// Event selects the deliveries of an event; Org is ignored then.
	Event    event.ID
	Status   webhook.Status
	Kind     event.Kind
	From, To time.Time
	// Before is the last ID of the previous page.
	Before webhook.DeliveryID
	Limit  int
}

// Stats are statistics of deliveries.
type Stats struct {
	ByStatus map[webhook.Status]int
	// P50 and P95 are percentiles of the duration of the latest successful attempts.
	P50, P95 time.Duration
}

// Claims is the queue of pending deliveries.
type Claims interface {
	// Wanted reports whether there is an enabled endpoint.
	Wanted(ctx context.Context) (bool, error)
	// Claim claims due deliveries, with fair shares for all endpoints.
	Claim(ctx context.Context, o ClaimOrder) ([]ClaimedDelivery, error)
	// Finish stores the result of an attempt, unless the delivery was claimed again.
	Finish(ctx context.Context, c ClaimedDelivery, a webhook.Attempt) (webhook.Health, error)
}

// ClaimOrder limits a claim.
type ClaimOrder struct {
	Most int
	// InFlight is the maximum number of concurrent deliveries to an endpoint, over all
	// replicas.
	InFlight int
	// Failing is the maximum number of deliveries to endpoints whose last attempt
	// failed. Such an endpoint receives one delivery at a time.
	Failing int
	// After is the endpoint that was served last.
	After webhook.ID
	Now   time.Time
}

// ClaimedDelivery is a claimed delivery.
type ClaimedDelivery struct {
	webhook.Delivery

	Turn     int
	Endpoint webhook.Snapshot
	// Event is the zero record if it is no longer stored.
	Event event.Record
}
