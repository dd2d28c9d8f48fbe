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
	KeyID        apikey.ID `json:"key_id" doc:"The key, one of your own."`
	OverlapHours int       `json:"overlap_hours,omitzero" doc:"How long the key until now works beside the new one; absent or 0: it ends at once." jsonschema:"minimum=0,maximum=720"`
}

// RotateResult is the result of API_KEY.ROTATE.
type RotateResult struct {
	APIKey       view.APIKey  `json:"api_key" doc:"The key as lists show it."`
	Key          secret.Shown `json:"key" doc:"The new key itself. It is shown this once."`
	OverlapUntil time.Time    `json:"overlap_until" doc:"When the key until now stops working."`
}

func (s *Service) rotate() command.Definition {
	return command.Define(command.Spec[RotateParams, RotateResult]{
		Name: "API_KEY.ROTATE",
		Summary: "Give one of your API keys a new secret under the same name, scopes and end; the new one works at once and is shown once. " +
			"At most two work side by side: one that a rotation before let go on ends now.",
		Access: access.User().InPerson().Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{apikey.KindRotated},
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
