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
	AppID        app.ID `json:"app_id" doc:"The app; spa and native have no secret to rotate."`
	OverlapHours int    `json:"overlap_hours,omitzero" doc:"Hours for which the secrets before it stay good; 0, when absent, ends them at once. At most 5 are good at a time, of more the oldest ends." jsonschema:"minimum=0,maximum=720"`
}

// RotateKeyResult is the result of APP.ROTATE_KEY.
type RotateKeyResult struct {
	APIKey       secret.Shown `json:"api_key" doc:"The new client secret, shown this once."`
	OverlapUntil *time.Time   `json:"overlap_until" doc:"When the last secret before it ends; null: they have ended."`
}

func (s *Service) rotateKey() command.Definition {
	return command.Define(command.Spec[RotateKeyParams, RotateKeyResult]{
		Name: "APP.ROTATE_KEY",
		Summary: "Give an app a new secret, while those before it stay good for an overlap; needs every permission that the app was granted. " +
			"Tokens got with them live on: M2M.BULK_REVOKE ends those.",
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
