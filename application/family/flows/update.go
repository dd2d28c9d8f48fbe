package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
)

// UpdateParams are the parameters of FLOW.UPDATE.
type UpdateParams struct {
	Name flow.Name `json:"name" doc:"The flow."`
	Place
	Nodes           []flow.Node `json:"nodes,omitzero" doc:"All nodes, in place of those there are." jsonschema:"maxItems=256" example:"-"`
	Edges           []flow.Edge `json:"edges,omitzero" doc:"All edges, in place of those there are." jsonschema:"maxItems=512" example:"-"`
	Description     *string     `json:"description,omitzero" doc:"What it is for." jsonschema:"maxLength=500"`
	Force           bool        `json:"force,omitzero" doc:"Of a flow that is enabled: change it although it would deny you right now."`
	ExpectedVersion int         `json:"expected_version,omitzero" doc:"The current version as you know it: another one is refused." jsonschema:"minimum=1" example:"-"`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Saved]{
		Name:    "FLOW.UPDATE",
		Summary: "Put nodes, edges or the description in place of those of a flow; a changed graph is a new version, of which the last 100 are kept. Where the flow is enabled it is in force from the next request on. The answer has the secret to verify webhook_check by, also where nothing is changed.",
		Access:  access.Holding(writing).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{flow.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (Saved, error) {
			result, err := s.change(ctx, call.Caller, p.Place, p.Name, func(tx Repos, f *flow.Flow) error {
				if err := f.Expect(p.ExpectedVersion); err != nil {
					return err
				}
				if p.Description != nil {
					f.Describe(*p.Description, s.now())
				}
				if p.Nodes == nil && p.Edges == nil {
					return nil
				}
				return s.rewrite(ctx, tx, call, rewriting{f, p.over(f.Snapshot().Current.Graph), p.Force})
			})
			return s.saved(result), err
		},
	})
}

// over puts what was sent in place of what there is.
func (p UpdateParams) over(graph flow.Graph) flow.Graph {
	if p.Nodes != nil {
		graph.Nodes = p.Nodes
	}
	if p.Edges != nil {
		graph.Edges = p.Edges
	}
	return graph
}

// rewriting is a flow that gets another graph.
type rewriting struct {
	flow  *flow.Flow
	graph flow.Graph
	force bool
}

// rewrite makes a graph current, when it is sound. It fails where that is in force at once and
// would deny its maker, unless that is meant.
func (s *Service) rewrite(ctx context.Context, tx Repos, call command.Call, r rewriting) error {
	of := r.flow.Snapshot()
	made, err := tx.graphs.sound(of.OrgID, of.Trigger, r.graph)
	if err != nil {
		return err
	}
	if of.Enabled && !of.Current.Graph.Equal(r.graph) {
		if err := s.admits(ctx, call, of.OrgID, made, r.force); err != nil {
			return err
		}
	}
	r.flow.Rewrite(r.graph, author(call.Caller), s.now())
	return nil
}
