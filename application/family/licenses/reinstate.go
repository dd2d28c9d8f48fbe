package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
)

func (s *Service) reinstate() command.Definition {
	return command.Define(command.Spec[Params, Result]{
		Name:    "LICENSE.REINSTATE",
		Summary: "Reinstate a suspended license.",
		Access:  access.Holding(writing),
		Effect:  command.Writes,
		Emits:   []event.Kind{license.KindReinstated},
		Handle: func(ctx context.Context, call command.Call, p Params) (Result, error) {
			return s.change(ctx, call.Caller, p.LicenseID, func(_ Repos, l *license.License) error {
				return l.Reinstate(s.now())
			})
		},
	})
}
