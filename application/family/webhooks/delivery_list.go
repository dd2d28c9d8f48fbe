package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/webhooks"
)

// DeliveryListParams are the parameters of WEBHOOK.DELIVERY_LIST.
type DeliveryListParams struct {
	OrgID     workspace.ID   `json:"org_id,omitzero" doc:"Workspace whose deliveries to list. Defaults to the active workspace, or to the instance for superadmins." example:"-"`
	WebhookID webhook.ID     `json:"webhook_id,omitzero" doc:"Filter by webhook endpoint." example:"-"`
	Status    webhook.Status `json:"status,omitzero" doc:"Filter by status." jsonschema:"enum=pending,enum=delivering,enum=succeeded,enum=failed,enum=dead" example:"-"`
	Type      event.Kind     `json:"type,omitzero" doc:"Filter by event type." jsonschema:"minLength=1,maxLength=100" example:"-"`
	From      time.Time      `json:"from,omitzero" doc:"List only deliveries created at or after this time." example:"-"`
	To        time.Time      `json:"to,omitzero" doc:"List only deliveries created before this time." example:"-"`
	page.Params
}

// Delivery is a delivery in results.
type Delivery struct {
	ID            webhook.DeliveryID `json:"id" doc:"ID of the delivery. Sent as the webhook-id of its messages."`
	WebhookID     webhook.ID         `json:"webhook_id" doc:"ID of the webhook endpoint."`
	EventID       event.ID           `json:"event_id" doc:"ID of the delivered event."`
	Type          event.Kind         `json:"type" doc:"Type of the event."`
	Status        webhook.Status     `json:"status" doc:"Status of the delivery. A failed delivery is attempted again at next_attempt_at. A dead one is not." jsonschema:"enum=pending,enum=delivering,enum=succeeded,enum=failed,enum=dead"`
	Attempts      int                `json:"attempts" doc:"Number of attempts so far."`
	StatusCode    *int               `json:"status_code" doc:"HTTP status of the last response. Null if there was no response."`
	Error         *string            `json:"error" doc:"Error of the last attempt. Null if there was none."`
	NextAttemptAt *time.Time         `json:"next_attempt_at" doc:"When the next attempt is due. Null if none is scheduled."`
	CreatedAt     time.Time          `json:"created_at" doc:"When the event was matched to the webhook endpoint."`
	FinishedAt    *time.Time         `json:"finished_at" doc:"When the delivery succeeded or became a dead letter. Null until then."`
}

func delivered(d webhook.Delivery) Delivery {
	shown := Delivery{
		ID: d.ID, WebhookID: d.WebhookID, EventID: d.EventID, Type: d.Kind, Status: d.Status, Attempts: d.Attempts,
		Error: view.Text(d.Error), NextAttemptAt: moment(d.DueAt), CreatedAt: d.CreatedAt, FinishedAt: moment(d.FinishedAt),
	}
	if d.Status == webhook.Delivering {
		shown.NextAttemptAt = nil
	}
	if d.StatusCode != 0 {
		shown.StatusCode = &d.StatusCode
	}
	return shown
}

func (s *Service) deliveryList() command.Definition {
	return command.Define(command.Spec[DeliveryListParams, page.Of[Delivery]]{
		Name:    "WEBHOOK.DELIVERY_LIST",
		Summary: "List deliveries, newest first.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p DeliveryListParams) (page.Of[Delivery], error) {
			return s.deliveries(ctx, call.Caller, "WEBHOOK.DELIVERY_LIST", p)
		},
	})
}

// deliveries reads a page of the deliveries of a workspace, or the instance. Those to one
// webhook are found wherever the caller sees that.
func (s *Service) deliveries(ctx context.Context, caller access.Caller, scope string, p DeliveryListParams) (page.Of[Delivery], error) {
	org, err := s.whose(ctx, caller, p.OrgID, p.WebhookID)
	if err != nil {
		return page.Of[Delivery]{}, err
	}
	list := s.Cursors.List(scope+"|"+org.String(), p.Params)
	return page.Read(list, func(d webhook.Delivery) string { return d.ID.String() }, delivered,
		func(before string, most int) ([]webhook.Delivery, error) {
			return s.Deliveries.List(ctx, webhooks.DeliveryQuery{
				Org: org, Webhook: p.WebhookID, Status: p.Status, Kind: p.Type, From: p.From, To: p.To,
				Before: webhook.DeliveryID(before), Limit: most,
			})
		})
}

// whose returns the workspace that deliveries are of: that of the webhook, where one is named.
func (s *Service) whose(ctx context.Context, caller access.Caller, named workspace.ID, id webhook.ID) (workspace.ID, error) {
	if id == "" {
		return owner(caller, "", named)
	}
	of, err := s.find(ctx, caller, id)
	return of.OrgID, err
}
