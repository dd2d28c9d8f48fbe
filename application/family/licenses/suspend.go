package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

func (s *Service) suspend() command.Definition {
	return command.Define(command.Spec[ReasonParams, Result]{
		Name:        "LICENSE.SUSPEND",
		Summary:     "Suspend a license.",
		Description: "Validation returns the code `suspended` until you reinstate the license with `LICENSE.REINSTATE`.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{license.KindSuspended},
		Handle: func(ctx context.Context, call command.Call, p ReasonParams) (Result, error) {
			return s.change(ctx, call.Caller, p.LicenseID, func(_ Repos, l *license.License) error {
				return l.Suspend(p.Reason, s.now())
			})
		},
	})
}
