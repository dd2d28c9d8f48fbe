package events

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/webhooks"
)

// GetParams are the parameters of EVENT.GET.
type GetParams struct {
	OrgID   workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace of the event. Defaults to the active workspace, or to any workspace if you are a superadmin." example:"-"`
	EventID event.ID     `json:"event_id" doc:"ID of the event."`
}

// GetResult is the result of EVENT.GET.
type GetResult struct {
	Event      Event      `json:"event" doc:"The event."`
	Deliveries []Delivery `json:"deliveries" doc:"Webhook deliveries of the event, newest first. Empty unless you can see webhooks."`
}

// Delivery is where an event was delivered.
type Delivery struct {
	ID        webhook.DeliveryID `json:"id" doc:"ID of the delivery. WEBHOOK.DELIVERY_GET returns its details."`
	WebhookID webhook.ID         `json:"webhook_id" doc:"ID of the webhook endpoint."`
	Status    webhook.Status     `json:"status" doc:"Status of the delivery." jsonschema:"enum=pending,enum=delivering,enum=succeeded,enum=failed,enum=dead"`
	Attempts  int                `json:"attempts" doc:"Number of attempts."`
}

// mostDeliveries bounds what is shown: a workspace and the instance have as many webhooks.
const mostDeliveries = 2 * webhook.MaxEndpoints

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:        "EVENT.GET",
		Summary:     "Get an event and its webhook deliveries.",
		Description: "Deliveries are included only if you have the permission `webhooks:read`.",
		Access:      access.Holding("events:read"),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			org, err := bound(call.Caller, p.OrgID)
			if err != nil {
				return GetResult{}, err
			}
			found, err := s.Feed.Find(ctx, org, p.EventID)
			if err != nil {
				return GetResult{}, err
			}
			result := GetResult{Event: show(found), Deliveries: []Delivery{}}
			if !call.Caller.May("webhooks:read") {
				return result, nil
			}
			deliveries, err := s.Deliveries.List(ctx, webhooks.DeliveryQuery{Event: found.ID, Limit: mostDeliveries})
			for _, d := range deliveries {
				if call.Caller.Sees(d.OrgID) {
					result.Deliveries = append(result.Deliveries, Delivery{ID: d.ID, WebhookID: d.WebhookID, Status: d.Status, Attempts: d.Attempts})
				}
			}
			return result, err
		},
	})
}
