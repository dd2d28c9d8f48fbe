package webhooks

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
)

// CreateParams are the parameters of WEBHOOK.CREATE.
type CreateParams struct {
	OrgID       workspace.ID      `json:"org_id,omitzero" doc:"Workspace that the webhook endpoint belongs to. Defaults to the active workspace, or to the instance for superadmins." example:"-"`
	URL         string            `json:"url" doc:"URL that messages are posted to. Must use https, and must not be in a private network." jsonschema:"minLength=1,maxLength=2048,example=https://api.example.com/hooks"`
	Events      []event.Kind      `json:"events,omitzero" doc:"Event types to send: names, resource.* or *. Defaults to all." jsonschema:"minItems=1,maxItems=100,uniqueItems=true,minLength=1,maxLength=100,example=user.*"`
	Scope       Scope             `json:"scope,omitzero" doc:"Which events to send: all events of the instance, or the events of the workspace. Only superadmins can use instance, and it is their default without org_id." jsonschema:"enum=instance,enum=workspace" example:"-"`
	Secret      secret.String     `json:"secret,omitzero" doc:"Signing secret: whsec_ followed by base64, or any other text. Omit to generate one." jsonschema:"minLength=16,maxLength=256" example:"-"`
	Description string            `json:"description,omitzero" doc:"Description for your own use." jsonschema:"maxLength=500"`
	Headers     map[string]string `json:"headers,omitzero" doc:"Headers to add to every message. At most 20, with values of at most 1024 printable ASCII characters. Headers that Gatehouse sets cannot be replaced." example:"-"`
	RateLimit   int               `json:"rate_limit,omitzero" doc:"Maximum number of messages per second. Omit for no limit." jsonschema:"minimum=1,maximum=10000" example:"-"`
}

// CreateResult is the result of WEBHOOK.CREATE.
type CreateResult struct {
	Webhook       Webhook      `json:"webhook" doc:"The new webhook endpoint."`
	Secret        secret.Shown `json:"secret" doc:"The signing secret, as you provided it or as generated. Returned only once."`
	SigningSecret secret.Shown `json:"signing_secret" doc:"The signing secret in the form that Standard Webhooks libraries accept. Returned only once."`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, CreateResult]{
		Name:    "WEBHOOK.CREATE",
		Summary: "Create a webhook endpoint.",
		Description: "Gatehouse posts events to the endpoint as signed messages (Standard Webhooks). The signing secret is returned only once.\n\n" +
			"A workspace can have at most 100 endpoints, and so can the instance. With a session, requires a sign-in within the last 15 minutes.",
		Access: access.Holding(writing).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{webhook.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (result CreateResult, err error) {
			org, err := owner(call.Caller, p.Scope, p.OrgID)
			if err != nil {
				return result, err
			}
			if err := s.check(EndpointSettings{URL: &p.URL, Events: p.Events, Headers: p.Headers}); err != nil {
				return result, err
			}
			given, key, err := s.secret(p.Secret)
			if err != nil {
				return result, err
			}
			result.Secret, result.SigningSecret = given, secret.Shown(webhook.FormatSecret(key))
			draft := webhook.Draft{
				ID: webhook.NewID(s.IDs), OrgID: org, URL: p.URL, Events: p.Events, Description: p.Description,
				Headers: p.Headers, RateLimit: p.RateLimit, Secret: key,
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				count, err := tx.Endpoints.Count(ctx, org)
				if err != nil {
					return err
				}
				if count >= webhook.MaxEndpoints {
					return webhook.ErrTooMany
				}
				made := webhook.New(draft, s.now())
				result.Webhook = show(made.Snapshot())
				return tx.Endpoints.Save(ctx, made)
			})
			return result, err
		},
	})
}

// EndpointSettings are the requested settings of an endpoint.
type EndpointSettings struct {
	URL     *string
	Events  []event.Kind
	Headers map[string]string
}

func (s *Service) check(w EndpointSettings) error {
	if err := s.checkURL(w.URL); err != nil {
		return err
	}
	if err := s.checkEvents(w.Events); err != nil {
		return err
	}
	return checkHeaders(w.Headers)
}

// secretSize is that of a secret that is made, in bytes.
const secretSize = 32

// secret returns the secret that was given, or makes one, with its key.
func (s *Service) secret(given secret.String) (secret.Shown, []byte, error) {
	if given.Empty() {
		key := s.Random.Bytes(secretSize)
		return secret.Shown(webhook.FormatSecret(key)), key, nil
	}
	key, err := webhook.ParseSecret(given.Reveal())
	return secret.Shown(given.Reveal()), key, err
}
