package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
)

// EnableParams are the parameters of FLOW.ENABLE.
type EnableParams struct {
	Name flow.Name `json:"name" doc:"Name of the flow."`
	ScopeParams
	Version int  `json:"version,omitzero" doc:"Version to make current first, as FLOW.ROLLBACK does. Defaults to the current version." jsonschema:"minimum=1" example:"-"`
	Force   bool `json:"force,omitzero" doc:"Whether to enable the flow even if it would deny you right now."`
}

// EnableResult is the result of FLOW.ENABLE.
type EnableResult struct {
	Flow     Flow      `json:"flow" doc:"The flow after the change."`
	Replaced flow.Name `json:"replaced,omitzero" doc:"Name of the flow that was enabled before. It is disabled now. Omitted if there was none."`
}

func (s *Service) enable() command.Definition {
	return command.Define(command.Spec[EnableParams, EnableResult]{
		Name:    "FLOW.ENABLE",
		Summary: "Enable a flow for its trigger and scope.",
		Description: "The flow decides from the next request on. At most one flow is enabled for a trigger and scope, so a flow enabled before is " +
			"disabled.\n\n" +
			"A flow that would deny you right now is rejected unless `force` is true.",
		Access: access.Holding(writing).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{flow.KindEnabled, flow.KindDisabled, flow.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p EnableParams) (result EnableResult, err error) {
			changed, err := s.change(ctx, call.Caller, p.ScopeParams, p.Name, func(tx Repos, f *flow.Flow) error {
				if p.Version != 0 && p.Version != f.Snapshot().Current.Number {
					older, err := tx.Flows.Version(ctx, f.Snapshot().ID, p.Version)
					if err != nil {
						return err
					}
					if err := s.rewrite(ctx, tx, call, graphUpdate{f, older.Graph, p.Force}); err != nil {
						return err
					}
				}
				result.Replaced, err = s.enforce(ctx, tx, call, f, p.Force)
				return err
			})
			result.Flow = changed.Flow
			return result, err
		},
	})
}

// enforce makes a flow the one that decides, in the place of the one that did, whose name it
// returns. It fails where the flow would deny its maker, unless that is meant.
func (s *Service) enforce(ctx context.Context, tx Repos, call command.Call, f *flow.Flow, force bool) (flow.Name, error) {
	of := f.Snapshot()
	if of.Enabled {
		return "", nil
	}
	made, err := tx.graphs.sound(of.OrgID, of.Trigger, of.Current.Graph)
	if err != nil {
		return "", err
	}
	if err := s.admits(ctx, call, of.OrgID, made, force); err != nil {
		return "", err
	}
	replaced, err := tx.Flows.Enabled(ctx, of.OrgID, of.Trigger)
	if err != nil {
		return "", err
	}
	f.Enable(s.now())
	if replaced == nil {
		return "", nil
	}
	replaced.Disable(s.now())
	return replaced.Snapshot().Name, tx.Flows.Save(ctx, replaced)
}
