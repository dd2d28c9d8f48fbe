package webhooks

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/webhook"
)

// GetParams are the parameters of WEBHOOK.GET.
type GetParams struct {
	WebhookID webhook.ID `json:"webhook_id" doc:"ID of the webhook endpoint."`
}

// Result is a webhook.
type Result struct {
	Webhook Webhook `json:"webhook" doc:"The webhook endpoint."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, Result]{
		Name:    "WEBHOOK.GET",
		Summary: "Retrieve a webhook endpoint.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (Result, error) {
			found, err := s.find(ctx, call.Caller, p.WebhookID)
			if err != nil {
				return Result{}, err
			}
			return Result{show(found)}, nil
		},
	})
}

// find fails with webhook.ErrNotFound also for one that the caller does not see.
func (s *Service) find(ctx context.Context, caller access.Caller, id webhook.ID) (webhook.Snapshot, error) {
	found, err := s.Endpoints.Find(ctx, id)
	if err != nil {
		return found, err
	}
	return found, visible(caller, found.OrgID, webhook.ErrNotFound)
}

// held reads a webhook to change it. It fails as find does.
func held(ctx context.Context, tx Repos, caller access.Caller, id webhook.ID) (*webhook.Endpoint, error) {
	e, err := tx.Endpoints.ByID(ctx, id)
	if err != nil {
		return nil, err
	}
	return e, visible(caller, e.Snapshot().OrgID, webhook.ErrNotFound)
}
