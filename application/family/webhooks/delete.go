package webhooks

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
)

// DeleteParams are the parameters of WEBHOOK.DELETE.
type DeleteParams struct {
	WebhookID webhook.ID `json:"webhook_id" doc:"ID of the webhook endpoint."`
}

// DeleteResult is the result of WEBHOOK.DELETE.
type DeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:        "WEBHOOK.DELETE",
		Summary:     "Delete a webhook endpoint.",
		Description: "Pending deliveries become dead letters. Past deliveries stay listed. With a session, requires a sign-in within the last 15 minutes.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{webhook.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				e, err := held(ctx, tx, call.Caller, p.WebhookID)
				if err != nil {
					return err
				}
				e.Delete()
				return tx.Endpoints.Delete(ctx, e)
			})
			if err != nil {
				return DeleteResult{}, err
			}
			return DeleteResult{Deleted: true}, nil
		},
	})
}
