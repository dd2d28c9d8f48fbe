package webhooks

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/webhook"
)

// UpdateParams are the parameters of WEBHOOK.UPDATE.
type UpdateParams struct {
	WebhookID   webhook.ID        `json:"webhook_id" doc:"The webhook."`
	URL         *string           `json:"url,omitzero" doc:"Where messages are posted to from now on." jsonschema:"minLength=1,maxLength=2048,example=https://api.example.com/hooks"`
	Events      []event.Kind      `json:"events,omitzero" doc:"The kinds to be told of, in place of those before." jsonschema:"minItems=1,maxItems=100,uniqueItems=true,minLength=1,maxLength=100,example=user.*"`
	Enabled     *bool             `json:"enabled,omitzero" doc:"Whether it is told of anything. Switched off, its pending deliveries end as dead letters." example:"-"`
	Description *string           `json:"description,omitzero" doc:"What it is for." jsonschema:"maxLength=500"`
	Headers     map[string]string `json:"headers,omitzero" doc:"Headers that messages get, in place of those before; {} is none. With an address of another host they are needed where there are any: those before are not sent there." example:"-"`
	RateLimit   *int              `json:"rate_limit,omitzero" doc:"Messages a second that it takes; 0: any number." jsonschema:"minimum=0,maximum=10000" example:"-"`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:    "WEBHOOK.UPDATE",
		Summary: "Change a webhook's address, kinds or headers, or switch it on or off; what is absent stays.",
		Access:  access.Holding(writing).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{webhook.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (result Result, err error) {
			if err := s.check(Wish{URL: p.URL, Events: p.Events, Headers: p.Headers}); err != nil {
				return result, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				e, err := held(ctx, tx, call.Caller, p.WebhookID)
				if err != nil {
					return err
				}
				err = e.Update(webhook.Change{
					URL: p.URL, Events: p.Events, Enabled: p.Enabled, Description: p.Description, Headers: p.Headers, RateLimit: p.RateLimit,
				}, s.now())
				if err != nil {
					return err
				}
				result.Webhook = show(e.Snapshot())
				if !e.Changed() {
					return nil
				}
				return tx.Endpoints.Save(ctx, e)
			})
			return result, err
		},
	})
}
