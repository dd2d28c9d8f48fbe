package licenses

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/secret"
)

// RotateKeyParams are the parameters of LICENSE.ROTATE_KEY.
type RotateKeyParams struct {
	LicenseID    license.ID `json:"license_id" doc:"ID of the license."`
	OverlapHours int        `json:"overlap_hours,omitzero" doc:"Hours the old key stays valid. Defaults to 0, which ends it immediately." jsonschema:"minimum=0,maximum=8760,example=24"`
}

// RotateKeyResult is the result of LICENSE.ROTATE_KEY.
type RotateKeyResult struct {
	License view.License `json:"license" doc:"The license after the change."`
	Key     secret.Shown `json:"key" doc:"New license key. Returned only once, unless ENCRYPTION_KEY is set: then LICENSE.GET returns it too."`
}

func (s *Service) rotateKey() command.Definition {
	return command.Define(command.Spec[RotateKeyParams, RotateKeyResult]{
		Name:        "LICENSE.ROTATE_KEY",
		Summary:     "Replace the key of a license.",
		Description: "Use it when a key has leaked. Machines and seats of the license stay.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{license.KindKeyRotated},
		Handle: func(ctx context.Context, call command.Call, p RotateKeyParams) (RotateKeyResult, error) {
			key, overlap := license.NewKey(s.Random), time.Duration(p.OverlapHours)*time.Hour
			result, err := s.change(ctx, call.Caller, p.LicenseID, func(tx Repos, l *license.License) error {
				if err := l.Rotate(overlap, s.now()); err != nil {
					return err
				}
				if err := tx.Licenses.EndKeys(ctx, p.LicenseID, s.now().Add(overlap)); err != nil {
					return err
				}
				canonical, _ := license.ReadKey(string(key))
				return tx.Licenses.AddKey(ctx, p.LicenseID, canonical)
			})
			return RotateKeyResult{License: result.License, Key: key}, err
		},
	})
}
