package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/workspace"
)

// DisableParams are the parameters of FLOW.DISABLE.
type DisableParams struct {
	Name flow.Name `json:"name" doc:"Name of the flow."`
	ScopeParams
}

func (s *Service) disable() command.Definition {
	return command.Define(command.Spec[DisableParams, Result]{
		Name:        "FLOW.DISABLE",
		Summary:     "Disable a flow.",
		Description: "The change takes effect with the next request. Only the built-in handling of the trigger remains.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{flow.KindDisabled},
		Handle: func(ctx context.Context, call command.Call, p DisableParams) (Result, error) {
			return s.change(ctx, call.Caller, p.ScopeParams, p.Name, s.off)
		},
	})
}

// Lift switches a flow off for whoever has the store: the flow may be the one that lets
// nobody in to call a command. The empty workspace is the instance. It fails with
// flow.ErrNotFound.
func (s *Service) Lift(ctx context.Context, org workspace.ID, name flow.Name) error {
	_, err := s.changeOf(ctx, org, name, s.off)
	return err
}

func (s *Service) off(_ Repos, f *flow.Flow) error {
	f.Disable(s.now())
	return nil
}
