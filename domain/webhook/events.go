package webhook

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of webhooks.
const (
	KindCreated       event.Kind = "webhook.created"
	KindUpdated       event.Kind = "webhook.updated"
	KindDeleted       event.Kind = "webhook.deleted"
	KindSecretRotated event.Kind = "webhook.secret_rotated"
	KindAutoDisabled  event.Kind = "webhook.auto_disabled"
	KindReplayed      event.Kind = "webhook_delivery.replayed"
	KindDiscarded     event.Kind = "webhook_delivery.discarded"
	KindDead          event.Kind = "webhook_delivery.dead"
)

// Created is the content of webhook.created.
type Created struct {
	WebhookID ID           `json:"webhook_id" doc:"ID of the new webhook endpoint."`
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Absent for an endpoint of the instance."`
	Events    []event.Kind `json:"events" doc:"Event types the endpoint receives."`
}

// Updated is the content of webhook.updated.
type Updated struct {
	WebhookID ID           `json:"webhook_id" doc:"ID of the webhook endpoint."`
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Absent for an endpoint of the instance."`
	Changed   []string     `json:"changed" doc:"Names of the fields that changed."`
}

// Deleted is the content of webhook.deleted.
type Deleted struct {
	WebhookID ID           `json:"webhook_id" doc:"ID of the deleted webhook endpoint."`
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Absent for an endpoint of the instance."`
}

// SecretRotated is the content of webhook.secret_rotated.
type SecretRotated struct {
	WebhookID    ID           `json:"webhook_id" doc:"ID of the webhook endpoint."`
	OrgID        workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Absent for an endpoint of the instance."`
	OverlapUntil time.Time    `json:"overlap_until" doc:"When the previous secret stops signing."`
}

// AutoDisabled is the content of webhook.auto_disabled.
type AutoDisabled struct {
	WebhookID    ID           `json:"webhook_id" doc:"ID of the webhook endpoint."`
	OrgID        workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Absent for an endpoint of the instance."`
	Reason       string       `json:"reason" doc:"Why the endpoint was disabled: gone (the receiver answered 410) or failing (every attempt failed for days)." jsonschema:"enum=gone,enum=failing"`
	FailingSince time.Time    `json:"failing_since,omitzero" doc:"When the failures began."`
}

// Replayed is the content of webhook_delivery.replayed.
type Replayed struct {
	WebhookID  ID           `json:"webhook_id" doc:"ID of the webhook endpoint."`
	OrgID      workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Absent for an endpoint of the instance."`
	DeliveryID DeliveryID   `json:"delivery_id,omitzero" doc:"ID of the delivery. Absent for a bulk replay."`
	Count      int          `json:"count" doc:"Number of deliveries that are attempted again."`
}

// Discarded is the content of webhook_delivery.discarded.
type Discarded struct {
	WebhookID ID           `json:"webhook_id,omitzero" doc:"ID of the webhook endpoint. Absent if the call named none."`
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Absent for an endpoint of the instance."`
	Count     int          `json:"count" doc:"Number of dead letters discarded."`
}

// Died is the content of webhook_delivery.dead.
type Died struct {
	WebhookID  ID           `json:"webhook_id" doc:"ID of the webhook endpoint."`
	OrgID      workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Absent for an endpoint of the instance."`
	DeliveryID DeliveryID   `json:"delivery_id,omitzero" doc:"ID of the delivery. Absent when several deliveries ended together."`
	EventID    event.ID     `json:"event_id,omitzero" doc:"ID of the undelivered event. Absent when several deliveries ended together."`
	EventType  event.Kind   `json:"event_type,omitzero" doc:"Type of the undelivered event. Absent when several deliveries ended together."`
	Count      int          `json:"count" doc:"Number of deliveries that moved to the dead-letter list."`
	Reason     string       `json:"reason" doc:"Why delivery stopped: exhausted (every attempt failed), gone (the receiver answered 410), unsendable (the event cannot be sent), disabled or deleted (the endpoint was)." jsonschema:"enum=exhausted,enum=gone,enum=unsendable,enum=disabled,enum=deleted"`
}

func (Created) Kind() event.Kind       { return KindCreated }
func (Updated) Kind() event.Kind       { return KindUpdated }
func (Deleted) Kind() event.Kind       { return KindDeleted }
func (SecretRotated) Kind() event.Kind { return KindSecretRotated }
func (AutoDisabled) Kind() event.Kind  { return KindAutoDisabled }
func (Replayed) Kind() event.Kind      { return KindReplayed }
func (Discarded) Kind() event.Kind     { return KindDiscarded }
func (Died) Kind() event.Kind          { return KindDead }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		hook     = ID("whk_01jd7x9k2mf3q8v5t0abcdefgh")
		org      = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		delivery = DeliveryID("dlv_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	at := time.Date(2026, time.January, 2, 15, 4, 5, 0, time.UTC)
	return []event.Definition{
		{Summary: "A webhook endpoint was created.", Example: Created{hook, org, []event.Kind{"user.*"}}},
		{Summary: "A webhook endpoint was updated.", Example: Updated{hook, org, []string{"url"}}},
		{Summary: "A webhook endpoint was deleted. Its pending deliveries ended.", Example: Deleted{hook, org}},
		{Summary: "The signing secret of a webhook endpoint was rotated.", Example: SecretRotated{hook, org, at}},
		{Summary: "A webhook endpoint was disabled automatically because its receiver is gone or keeps failing.", Example: AutoDisabled{hook, org, ByFailing, at}},
		{Summary: "Deliveries of a webhook endpoint were replayed.", Example: Replayed{hook, org, delivery, 1}},
		{Summary: "Dead letters were discarded.", Example: Discarded{hook, org, 12}},
		{
			Summary: "Deliveries ended without success. Not emitted for deliveries of this event type itself.",
			Example: Died{hook, org, delivery, event.ID("evt_01jd7x9k2mf3q8v5t0abcdefgh"), user.KindCreated, 1, ByAttempts},
		},
	}
}
