package apikeys

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/domain/secret"
)

// RotateParams are the parameters of API_KEY.ROTATE.
type RotateParams struct {
	KeyID        apikey.ID `json:"key_id" doc:"ID of one of your API keys."`
	OverlapHours int       `json:"overlap_hours,omitzero" doc:"Hours the old secret keeps working alongside the new one. Defaults to 0: the old secret stops working at once." jsonschema:"minimum=0,maximum=720"`
}

// RotateResult is the result of API_KEY.ROTATE.
type RotateResult struct {
	APIKey       view.APIKey  `json:"api_key" doc:"The API key, without its secret."`
	Key          secret.Shown `json:"key" doc:"New secret text of the key. Returned only once."`
	OverlapUntil time.Time    `json:"overlap_until" doc:"When the old secret stops working."`
}

func (s *Service) rotate() command.Definition {
	return command.Define(command.Spec[RotateParams, RotateResult]{
		Name:    "API_KEY.ROTATE",
		Summary: "Rotate the secret of an API key.",
		Description: "The key keeps its name, scopes and expiry. The new secret works at once and is returned only once.\n\nAt most two secrets work " +
			"side by side. If a secret from an earlier rotation still works, it stops working now.\n\nRequires a sign-in within the last 15 " +
			"minutes.",
		Access:      access.User().InPerson().Recent(),
		InWorkspace: true,
		Effect:      command.Writes,
		Emits:       []event.Kind{apikey.KindRotated},
		Handle: func(ctx context.Context, call command.Call, p RotateParams) (RotateResult, error) {
			result := RotateResult{Key: keytext.New(keytext.APIKey, s.Random)}
			overlap := time.Duration(p.OverlapHours) * time.Hour
			err := s.Unit.Do(ctx, func(tx Repos) error {
				k, err := own(ctx, tx, call.Caller, p.KeyID)
				if err != nil {
					return err
				}
				if result.OverlapUntil, err = k.Rotate(result.Key, overlap, s.Clock.Now()); err != nil {
					return err
				}
				if err := tx.Keys.Save(ctx, k); err != nil {
					return err
				}
				result.APIKey, err = s.show(ctx, tx, k)
				return err
			})
			return result, err
		},
	})
}
