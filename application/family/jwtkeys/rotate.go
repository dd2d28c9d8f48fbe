package jwtkeys

import (
	"cmp"
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/signingkey"
)

// RotateParams are the parameters of JWT_KEY.ROTATE.
type RotateParams struct {
	Algorithm    signingkey.Algorithm `json:"algorithm,omitzero" doc:"Algorithm of the new key; ES256 when absent."`
	OverlapHours *int                 `json:"overlap_hours,omitzero" doc:"Hours for which tokens under the old key hold on; 24 when absent, 0: none, so every access token in use is refused at once, also the caller's, until it is refreshed." jsonschema:"minimum=0,maximum=720,example=24"`
}

// RotateResult is the result of JWT_KEY.ROTATE.
type RotateResult struct {
	KID          string               `json:"kid" doc:"The key that signs from now on."`
	Algorithm    signingkey.Algorithm `json:"algorithm" doc:"Its algorithm."`
	PreviousKID  string               `json:"previous_kid" doc:"The key that signed before."`
	OverlapUntil time.Time            `json:"overlap_until" doc:"Until when tokens under that one hold."`
}

func (s *Service) rotate() command.Definition {
	return command.Define(command.Spec[RotateParams, RotateResult]{
		Name: "JWT_KEY.ROTATE",
		Summary: "Sign with another key from now on, while tokens under the old one hold for an overlap; " +
			"the key in waiting takes over when it has the algorithm, so verifiers know it already.",
		Access: access.Superadmin().Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{signingkey.KindRotated},
		Handle: func(ctx context.Context, _ command.Call, p RotateParams) (RotateResult, error) {
			fresh, err := s.Keys.Fresh(cmp.Or(p.Algorithm, signingkey.ES256))
			if err != nil {
				return RotateResult{}, err
			}
			overlap := time.Duration(either(p.OverlapHours, defaultOverlap)) * time.Hour
			var done signingkey.Rotation
			err = s.Unit.Do(ctx, func(tx Repos) error {
				ring, err := tx.Keys.Load(ctx)
				if err != nil {
					return err
				}
				done = ring.Rotate(fresh, overlap, s.Clock.Now())
				return tx.Keys.Save(ctx, ring)
			})
			return RotateResult{
				KID: done.KID, Algorithm: done.Algorithm, PreviousKID: done.PreviousKID, OverlapUntil: done.OverlapUntil,
			}, err
		},
	})
}
