package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
)

// DisableParams are the parameters of FLOW.DISABLE.
type DisableParams struct {
	Name flow.Name `json:"name" doc:"The flow."`
	Place
}

func (s *Service) disable() command.Definition {
	return command.Define(command.Spec[DisableParams, Result]{
		Name:    "FLOW.DISABLE",
		Summary: "Switch a flow off, from the next request on: the built-in handling alone remains.",
		Access:  access.Holding(writing).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{flow.KindDisabled},
		Handle: func(ctx context.Context, call command.Call, p DisableParams) (Result, error) {
			return s.change(ctx, call.Caller, p.Place, p.Name, func(_ Repos, f *flow.Flow) error {
				f.Disable(s.now())
				return nil
			})
		},
	})
}
