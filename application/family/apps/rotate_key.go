package apps

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
)

// RotateKeyParams are the parameters of APP.ROTATE_KEY.
type RotateKeyParams struct {
	AppID        app.ID `json:"app_id" doc:"ID of the app. spa and native apps have no secret to rotate."`
	OverlapHours int    `json:"overlap_hours,omitzero" doc:"Hours the previous secrets stay valid. Defaults to 0, which revokes them immediately. At most 5 secrets are valid at a time: beyond that, the oldest one is revoked." jsonschema:"minimum=0,maximum=720"`
}

// RotateKeyResult is the result of APP.ROTATE_KEY.
type RotateKeyResult struct {
	APIKey       secret.Shown `json:"api_key" doc:"New client secret, returned only once."`
	OverlapUntil *time.Time   `json:"overlap_until" doc:"Time the last of the previous secrets expires. Null if they were revoked immediately."`
}

func (s *Service) rotateKey() command.Definition {
	return command.Define(command.Spec[RotateKeyParams, RotateKeyResult]{
		Name:    "APP.ROTATE_KEY",
		Summary: "Rotate an app's client secret.",
		Description: "The app gets a new secret, and the previous ones stay valid during the overlap. You must hold every permission granted to the app.\n\n" +
			"Tokens obtained with the previous secrets stay valid. Revoke them with M2M.BULK_REVOKE.",
		Access: access.Holding(write).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{app.KindKeyRotated},
		Handle: func(ctx context.Context, call command.Call, p RotateKeyParams) (RotateKeyResult, error) {
			shown, kept := s.newSecret()
			var until time.Time
			_, err := s.changed(ctx, call.Caller, p.AppID, func(a *app.App) error {
				if err := impersonable(call.Caller, a); err != nil {
					return err
				}
				var err error
				until, err = a.RotateSecret(kept, time.Duration(p.OverlapHours)*time.Hour, s.Clock.Now())
				return err
			})
			if err != nil {
				return RotateKeyResult{}, err
			}
			return RotateKeyResult{APIKey: shown, OverlapUntil: view.Time(until)}, nil
		},
	})
}
