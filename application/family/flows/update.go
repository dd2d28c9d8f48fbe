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
	Name flow.Name `json:"name" doc:"Name of the flow."`
	ScopeParams
	Nodes           []flow.Node `json:"nodes,omitzero" doc:"Nodes of the graph. Replaces all nodes. Omit to keep them." jsonschema:"maxItems=256" example:"-"`
	Edges           []flow.Edge `json:"edges,omitzero" doc:"Edges of the graph. Replaces all edges. Omit to keep them." jsonschema:"maxItems=512" example:"-"`
	Description     *string     `json:"description,omitzero" doc:"Purpose of the flow. Omit to keep the current text." jsonschema:"maxLength=500"`
	Force           bool        `json:"force,omitzero" doc:"Whether to change an enabled flow even if it would deny you right now."`
	ExpectedVersion int         `json:"expected_version,omitzero" doc:"Version that you expect to change. The call fails if the flow was changed since." jsonschema:"minimum=1" example:"-"`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, SavedFlow]{
		Name:    "FLOW.UPDATE",
		Summary: "Update the graph or the description of a flow.",
		Description: "A changed graph becomes a new version. The last 100 versions are kept. If the flow is enabled, the change takes effect with " +
			"the next request.\n\n" +
			"If the flow has `webhook_check` nodes, the response contains the secret to verify their requests with, even if nothing " +
			"changed.",
		Access: access.Holding(writing).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{flow.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (SavedFlow, error) {
			result, err := s.change(ctx, call.Caller, p.ScopeParams, p.Name, func(tx Repos, f *flow.Flow) error {
				if err := f.Expect(p.ExpectedVersion); err != nil {
					return err
				}
				if p.Description != nil {
					f.Describe(*p.Description, s.now())
				}
				if p.Nodes == nil && p.Edges == nil {
					return nil
				}
				return s.rewrite(ctx, tx, call, graphUpdate{f, p.over(f.Snapshot().Current.Graph), p.Force})
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

// graphUpdate is a flow that gets another graph.
type graphUpdate struct {
	flow  *flow.Flow
	graph flow.Graph
	force bool
}

// rewrite makes a graph current, when it is sound. It fails where that is in force at once and
// would deny its maker, unless that is meant.
func (s *Service) rewrite(ctx context.Context, tx Repos, call command.Call, r graphUpdate) error {
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
