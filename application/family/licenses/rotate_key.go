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
	LicenseID    license.ID `json:"license_id" doc:"The license."`
	OverlapHours int        `json:"overlap_hours,omitzero" doc:"Hours for which the key before still works; 0, when absent: it ends at once." jsonschema:"minimum=0,maximum=8760,example=24"`
}

// RotateKeyResult is the result of LICENSE.ROTATE_KEY.
type RotateKeyResult struct {
	License view.License `json:"license" doc:"The license as it stands."`
	Key     secret.Shown `json:"key" doc:"Its new key, which is shown this once, unless ENCRYPTION_KEY is set."`
}

func (s *Service) rotateKey() command.Definition {
	return command.Define(command.Spec[RotateKeyParams, RotateKeyResult]{
		Name:    "LICENSE.ROTATE_KEY",
		Summary: "Give a license whose key leaked another one; its machines and seats stay.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{license.KindKeyRotated},
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
