package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

func (s *Service) revoke() command.Definition {
	return command.Define(command.Spec[ReasonParams, Result]{
		Name:        "LICENSE.REVOKE",
		Summary:     "Revoke a license permanently.",
		Description: "The key of the license is never valid again. Offline license files stay valid until they expire.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{license.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p ReasonParams) (Result, error) {
			return s.change(ctx, call.Caller, p.LicenseID, func(_ Repos, l *license.License) error {
				l.Revoke(p.Reason, s.now())
				return nil
			})
		},
	})
}
