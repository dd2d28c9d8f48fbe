package flows

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
)

// Errors of drafts.
var (
	errTemplate = fault.Unfit("/template", "cannot be combined with trigger, nodes or edges")
	errMissing  = fault.Unfit("/trigger", "is required, with nodes and edges, unless you send a template")
)

// CreateParams are the parameters of FLOW.CREATE.
type CreateParams struct {
	Name     flow.Name    `json:"name" doc:"Name of the flow. Unique in its scope."`
	Trigger  flow.Trigger `json:"trigger,omitzero" doc:"Trigger that the flow decides about. Required without template." example:"-"`
	Nodes    []flow.Node  `json:"nodes,omitzero" doc:"Nodes of the graph. At most 64. Required without template." jsonschema:"maxItems=256" example:"-"`
	Edges    []flow.Edge  `json:"edges,omitzero" doc:"Edges of the graph. At most 128." jsonschema:"maxItems=512" example:"-"`
	Template Template     `json:"template,omitzero" doc:"Template to create the flow from, instead of trigger, nodes and edges."`

	Description string `json:"description,omitzero" doc:"Purpose of the flow." jsonschema:"maxLength=500"`
	ScopeParams
	Enabled bool `json:"enabled,omitzero" doc:"Whether to enable the flow immediately, as FLOW.ENABLE does." example:"-"`
	Force   bool `json:"force,omitzero" doc:"Whether to enable the flow even if it would deny you right now. Used with enabled."`
}

// Template is the name of a template.
type Template string

// SchemaFragment lists the names in a JSON Schema.
func (Template) SchemaFragment() map[string]any {
	names := []any{}
	for _, t := range plan.Templates() {
		names = append(names, string(t.Name))
	}
	return map[string]any{"type": "string", "enum": names}
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, SavedFlow]{
		Name:    "FLOW.CREATE",
		Summary: "Create a flow from a graph or a template.",
		Description: "The flow is disabled unless `enabled` is true. If the graph is invalid, the error lists every problem.\n\n" +
			"A scope has at most 200 flows.\n\n" +
			"If the flow has `webhook_check` nodes, the response contains the secret to verify their requests with.",
		Access: access.Holding(writing).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{flow.KindCreated, flow.KindEnabled, flow.KindDisabled},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (SavedFlow, error) {
			draft, err := s.draft(ctx, call, p)
			if err != nil {
				return SavedFlow{}, err
			}
			var result Result
			err = s.do(ctx, func(tx Repos) error {
				if err := tx.Flows.Hold(ctx, draft.OrgID); err != nil {
					return err
				}
				made := flow.New(draft, s.now())
				if p.Enabled {
					if _, err := s.enforce(ctx, tx, call, made, p.Force); err != nil {
						return err
					}
				}
				result.Flow = show(made.Snapshot())
				return tx.Flows.Save(ctx, made)
			})
			return s.saved(result), err
		},
	})
}

// draft returns the flow that the parameters define, whose graph is sound.
func (s *Service) draft(ctx context.Context, call command.Call, p CreateParams) (flow.Draft, error) {
	org, err := p.at(call.Caller)
	if err != nil {
		return flow.Draft{}, err
	}
	trigger, graph, err := p.graph()
	if err != nil {
		return flow.Draft{}, err
	}
	_, err = s.sound(ctx, org, trigger, graph)
	return flow.Draft{
		ID: flow.NewID(s.IDs), OrgID: org, Name: p.Name, Description: p.Description, Trigger: trigger, Graph: graph, Author: author(call.Caller),
	}, err
}

// graph returns what the parameters define.
func (p CreateParams) graph() (flow.Trigger, flow.Graph, error) {
	drawn := p.Trigger != "" || p.Nodes != nil || p.Edges != nil
	switch {
	case p.Template != "" && drawn:
		return "", flow.Graph{}, errTemplate
	case p.Template == "" && (p.Trigger == "" || p.Nodes == nil):
		return "", flow.Graph{}, errMissing
	case p.Template == "":
		return p.Trigger, flow.Graph{Nodes: p.Nodes, Edges: p.Edges}, nil
	}
	all := plan.Templates()
	at := slices.IndexFunc(all, func(t plan.Template) bool { return string(t.Name) == string(p.Template) })
	if at < 0 {
		return "", flow.Graph{}, errMissing
	}
	return all[at].Trigger, all[at].Graph, nil
}
