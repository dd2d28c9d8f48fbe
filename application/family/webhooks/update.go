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
	WebhookID   webhook.ID        `json:"webhook_id" doc:"ID of the webhook endpoint."`
	URL         *string           `json:"url,omitzero" doc:"URL that messages are posted to." jsonschema:"minLength=1,maxLength=2048,example=https://api.example.com/hooks"`
	Events      []event.Kind      `json:"events,omitzero" doc:"Event types to send: names, resource.* or *. Replaces the current ones." jsonschema:"minItems=1,maxItems=100,uniqueItems=true,minLength=1,maxLength=100,example=user.*"`
	Enabled     *bool             `json:"enabled,omitzero" doc:"Whether the endpoint receives messages. Disabling it turns pending deliveries into dead letters." example:"-"`
	Description *string           `json:"description,omitzero" doc:"Description for your own use." jsonschema:"maxLength=500"`
	Headers     map[string]string `json:"headers,omitzero" doc:"Headers to add to every message. Replaces the current headers. Use {} for none. Required if you move an endpoint that has headers to another host, because current headers are not sent there." example:"-"`
	RateLimit   *int              `json:"rate_limit,omitzero" doc:"Maximum number of messages per second. Use 0 for no limit." jsonschema:"minimum=0,maximum=10000" example:"-"`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:    "WEBHOOK.UPDATE",
		Summary: "Update a webhook endpoint.",
		Description: "Change the URL, event types or headers, or enable or disable the endpoint. Fields you omit keep their current value. With a session, " +
			"requires a sign-in within the last 15 minutes.",
		Access: access.Holding(writing).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{webhook.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (result Result, err error) {
			if err := s.check(EndpointSettings{URL: p.URL, Events: p.Events, Headers: p.Headers}); err != nil {
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
