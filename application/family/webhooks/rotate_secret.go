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
	WebhookID    webhook.ID    `json:"webhook_id" doc:"ID of the webhook endpoint."`
	Secret       secret.String `json:"secret,omitzero" doc:"New signing secret: whsec_ followed by base64, or any other text. Omit to generate one." jsonschema:"minLength=16,maxLength=256" example:"-"`
	OverlapHours *int          `json:"overlap_hours,omitzero" doc:"Hours during which the previous secret also signs. Defaults to 24. Use 0 to stop all previous secrets immediately." jsonschema:"minimum=0,maximum=720" example:"-"`
}

// RotateResult is the result of WEBHOOK.ROTATE_SECRET.
type RotateResult struct {
	Secret        secret.Shown `json:"secret" doc:"The signing secret, as you provided it or as generated. Returned only once."`
	SigningSecret secret.Shown `json:"signing_secret" doc:"The signing secret in the form that Standard Webhooks libraries accept. Returned only once."`
	OverlapUntil  time.Time    `json:"overlap_until" doc:"When the previous secret stops signing."`
}

const overlapHours = 24

func (s *Service) rotateSecret() command.Definition {
	return command.Define(command.Spec[RotateParams, RotateResult]{
		Name:    "WEBHOOK.ROTATE_SECRET",
		Summary: "Rotate the signing secret of a webhook endpoint.",
		Description: "During the overlap, every message carries a signature from both the old and the new secret, so receivers can switch without missing " +
			"events.\n\n" +
			"At most 5 secrets can sign at the same time. With a session, requires a sign-in within the last 15 minutes.",
		Access: access.Holding(writing).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{webhook.KindSecretRotated},
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
