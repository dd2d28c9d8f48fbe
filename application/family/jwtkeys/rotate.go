package jwtkeys

import (
	"cmp"
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/signingkey"
)

// RotateParams are the parameters of JWT_KEY.ROTATE.
type RotateParams struct {
	Algorithm    string `json:"algorithm,omitzero" doc:"Algorithm of the new key, and of access tokens from now on. Defaults to ES256. If apps use ID tokens signed with the other algorithm, the key for those is replaced as well. EdDSA keys sign license files, not tokens, and are rotated independently." jsonschema:"enum=ES256,enum=RS256,enum=EdDSA"`
	OverlapHours *int   `json:"overlap_hours,omitzero" doc:"Hours the old key stays valid for verification. Defaults to 24; at most 720. Use 0 to invalidate all access tokens immediately, including your own, until they are refreshed. With EdDSA, defaults to the maximum of 17,520, because license files live long." jsonschema:"minimum=0,maximum=17520,example=24"`
}

// RotateResult is the result of JWT_KEY.ROTATE.
type RotateResult struct {
	KID          string    `json:"kid" doc:"ID of the key that signs from now on."`
	Algorithm    string    `json:"algorithm" doc:"Algorithm of the new key." jsonschema:"enum=ES256,enum=RS256,enum=EdDSA"`
	PreviousKID  string    `json:"previous_kid" doc:"ID of the key that signed before."`
	OverlapUntil time.Time `json:"overlap_until" doc:"Time until which tokens signed with the previous key are valid."`
}

func (s *Service) rotate() command.Definition {
	return command.Define(command.Spec[RotateParams, RotateResult]{
		Name:    "JWT_KEY.ROTATE",
		Summary: "Rotate the signing key.",
		Description: "A new key signs from now on, and tokens signed with the old key stay valid during the overlap. If the next key has the requested algorithm, " +
			"it becomes the new key, so that verifiers already know it.",
		Access: access.Superadmin().Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{signingkey.KindRotated},
		Handle: func(ctx context.Context, _ command.Call, p RotateParams) (RotateResult, error) {
			algorithm := signingkey.Algorithm(cmp.Or(p.Algorithm, string(signingkey.ES256)))
			overlap, err := overlapOf(algorithm, p.OverlapHours)
			if err != nil {
				return RotateResult{}, err
			}
			fresh, err := s.Keys.Fresh(algorithm)
			if err != nil {
				return RotateResult{}, err
			}
			var done signingkey.Rotation
			err = s.Unit.Do(ctx, func(tx Repos) error {
				ring, err := tx.Keys.Load(ctx)
				if err != nil {
					return err
				}
				if err := s.Keys.FoundFiles(ring, algorithm); err != nil {
					return err
				}
				done = ring.Rotate(fresh, overlap, s.Clock.Now())
				return tx.Keys.Save(ctx, ring)
			})
			if err == nil {
				err = s.Keys.Complete(ctx)
			}
			return RotateResult{
				KID: done.KID, Algorithm: string(done.Algorithm), PreviousKID: done.PreviousKID, OverlapUntil: done.OverlapUntil,
			}, err
		},
	})
}

// The longest overlaps, in hours.
const (
	mostOverlap     = 720
	mostFileOverlap = 17_520
)

var errOverlap = fault.Unfit("/overlap_hours", "must be at most 720 for token signing keys")

// overlapOf is for how long a key holds on that is replaced by one of an algorithm.
func overlapOf(algorithm signingkey.Algorithm, asked *int) (time.Duration, error) {
	hours := either(asked, defaultOverlap)
	switch {
	case algorithm.Files():
		hours = either(asked, mostFileOverlap)
	case hours > mostOverlap:
		return 0, errOverlap
	}
	return time.Duration(hours) * time.Hour, nil
}
