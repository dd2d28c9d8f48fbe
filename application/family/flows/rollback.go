package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
)

// RollbackParams are the parameters of FLOW.ROLLBACK.
type RollbackParams struct {
	Name flow.Name `json:"name" doc:"Name of the flow."`
	ScopeParams
	Version int  `json:"version" doc:"Version whose graph becomes current again." jsonschema:"minimum=1,example=1"`
	Force   bool `json:"force,omitzero" doc:"Whether to change an enabled flow even if it would deny you right now."`
}

func (s *Service) rollback() command.Definition {
	return command.Define(command.Spec[RollbackParams, Result]{
		Name:        "FLOW.ROLLBACK",
		Summary:     "Roll a flow back to an older version.",
		Description: "The graph of the older version becomes current again, as a new version.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{flow.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p RollbackParams) (Result, error) {
			return s.change(ctx, call.Caller, p.ScopeParams, p.Name, func(tx Repos, f *flow.Flow) error {
				older, err := tx.Flows.Version(ctx, f.Snapshot().ID, p.Version)
				if err != nil {
					return err
				}
				return s.rewrite(ctx, tx, call, graphUpdate{f, older.Graph, p.Force})
			})
		},
	})
}
