package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/webhook"
)

// RotateParams are the parameters of WEBHOOK.ROTATE_SECRET.
type RotateParams struct {
	WebhookID    webhook.ID    `json:"webhook_id" doc:"The webhook."`
	Secret       secret.String `json:"secret,omitzero" doc:"Secret to sign by: whsec_ and base64, or any other text; absent: one is made." jsonschema:"minLength=16,maxLength=256" example:"-"`
	OverlapHours *int          `json:"overlap_hours,omitzero" doc:"Hours in which the secret before signs too; 24 when absent, 0 ends all others at once." jsonschema:"minimum=0,maximum=720" example:"-"`
}

// RotateResult is the result of WEBHOOK.ROTATE_SECRET.
type RotateResult struct {
	Secret        secret.Shown `json:"secret" doc:"The secret as it was given, or made; shown this once."`
	SigningSecret secret.Shown `json:"signing_secret" doc:"The secret in the form that libraries of Standard Webhooks take; shown this once."`
	OverlapUntil  time.Time    `json:"overlap_until" doc:"Until when the secret before signs too."`
}

const overlapHours = 24

func (s *Service) rotateSecret() command.Definition {
	return command.Define(command.Spec[RotateParams, RotateResult]{
		Name:    "WEBHOOK.ROTATE_SECRET",
		Summary: "Sign by a new secret; until the overlap has passed, each message has a signature by the one before too.",
		Access:  access.Holding(writing).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{webhook.KindSecretRotated},
		Handle: func(ctx context.Context, call command.Call, p RotateParams) (result RotateResult, err error) {
			given, key, err := s.secret(p.Secret)
			if err != nil {
				return result, err
			}
			hours := overlapHours
			if p.OverlapHours != nil {
				hours = *p.OverlapHours
			}
			result.Secret, result.SigningSecret = given, secret.Shown(webhook.FormatSecret(key))
			err = s.Unit.Do(ctx, func(tx Repos) error {
				e, err := held(ctx, tx, call.Caller, p.WebhookID)
				if err != nil {
					return err
				}
				if result.OverlapUntil, err = e.RotateSecret(key, time.Duration(hours)*time.Hour, s.now()); err != nil {
					return err
				}
				return tx.Endpoints.Save(ctx, e)
			})
			return result, err
		},
	})
}
