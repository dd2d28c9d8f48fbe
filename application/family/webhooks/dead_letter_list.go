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
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"Workspace whose dead letters to list; absent: the active one, and for a superadmin the instance." example:"-"`
	WebhookID webhook.ID   `json:"webhook_id,omitzero" doc:"Only those to this webhook." example:"-"`
	Type      event.Kind   `json:"type,omitzero" doc:"Only those of this kind of event." jsonschema:"minLength=1,maxLength=100" example:"-"`
	page.Params
}

func (s *Service) deadLetterList() command.Definition {
	return command.Define(command.Spec[DeadLetterListParams, page.Of[Delivery]]{
		Name:    "WEBHOOK.DEAD_LETTER_LIST",
		Summary: "List the dead letters, newest first: deliveries whose five attempts all failed, or that ended with their webhook.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p DeadLetterListParams) (page.Of[Delivery], error) {
			return s.deliveries(ctx, call.Caller, "WEBHOOK.DEAD_LETTER_LIST", DeliveryListParams{
				OrgID: p.OrgID, WebhookID: p.WebhookID, Type: p.Type, Status: webhook.Dead, Params: p.Params,
			})
		},
	})
}
