package webhooks

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
)

// DeadLetterListParams are the parameters of WEBHOOK.DEAD_LETTER_LIST.
type DeadLetterListParams struct {
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"Workspace whose dead letters to list. Defaults to the active workspace, or to the instance for superadmins." example:"-"`
	WebhookID webhook.ID   `json:"webhook_id,omitzero" doc:"Filter by webhook endpoint." example:"-"`
	Type      event.Kind   `json:"type,omitzero" doc:"Filter by event type." jsonschema:"minLength=1,maxLength=100" example:"-"`
	page.Params
}

func (s *Service) deadLetterList() command.Definition {
	return command.Define(command.Spec[DeadLetterListParams, page.Of[Delivery]]{
		Name:    "WEBHOOK.DEAD_LETTER_LIST",
		Summary: "List dead letters, newest first.",
		Description: "A delivery becomes a dead letter when all five attempts fail, or when its endpoint is disabled or deleted. Replay one with " +
			"WEBHOOK.REPLAY, or many with WEBHOOK.BULK_REPLAY.",
		Access: access.Holding(reading),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p DeadLetterListParams) (page.Of[Delivery], error) {
			return s.deliveries(ctx, call.Caller, "WEBHOOK.DEAD_LETTER_LIST", DeliveryListParams{
				OrgID: p.OrgID, WebhookID: p.WebhookID, Type: p.Type, Status: webhook.Dead, Params: p.Params,
			})
		},
	})
}
