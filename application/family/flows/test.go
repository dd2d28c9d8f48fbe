package flows

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"

	"gatehouse.internal/application/addresses"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/workspace"
)

// errGraph is returned if neither a flow nor a graph is given.
var errGraph = fault.Invalid("/name", "provide either name, or trigger and nodes")

// TestParams are the parameters of FLOW.TEST.
type TestParams struct {
	Name flow.Name `json:"name,omitzero" doc:"Name of a stored flow to test. Omit to test the graph given by trigger, nodes and edges." example:"-"`
	ScopeParams
	Trigger flow.Trigger    `json:"trigger,omitzero" doc:"Trigger that the given graph decides about. Required with nodes."`
	Version int             `json:"version,omitzero" doc:"Version of the stored flow. Defaults to the current version." jsonschema:"minimum=1" example:"-"`
	Nodes   []flow.Node     `json:"nodes,omitzero" doc:"Nodes of a graph that is not stored." jsonschema:"maxItems=256"`
	Edges   []flow.Edge     `json:"edges,omitzero" doc:"Edges of a graph that is not stored." jsonschema:"maxItems=512" example:"-"`
	Context map[string]any  `json:"context" doc:"Context that the flow reads, following the schema from FLOW.TRIGGER_LIST. Omitted values have their defaults."`
	Mocks   map[string]Mock `json:"mocks,omitzero" doc:"Results of webhook_check and rate_limit nodes, by node ID."`
}

// Mock is what a node that reaches outside is to find in a test.
type Mock struct {
	Decision string                     `json:"decision,omitzero" doc:"Answer of a webhook_check server. Omit to simulate a server that does not answer." jsonschema:"enum=allow,enum=deny"`
	Reason   string                     `json:"reason,omitzero" doc:"Reason that the webhook_check server gives." jsonschema:"maxLength=200"`
	Claims   map[string]json.RawMessage `json:"claims,omitzero" doc:"Claims that the webhook_check server returns."`
	Over     bool                       `json:"over,omitzero" doc:"Whether the limit of a rate_limit node is exceeded."`
}

// TestResult is the result of FLOW.TEST.
type TestResult struct {
	Decision flow.Decision              `json:"decision" doc:"Decision of the flow."`
	Reason   string                     `json:"reason" doc:"Reason for a denial. May be empty."`
	Path     []string                   `json:"path" doc:"IDs of the nodes that ran, in order."`
	Claims   map[string]json.RawMessage `json:"claims" doc:"Claims that the flow sets."`
	Trace    []Trace                    `json:"trace" doc:"Nodes that ran, in order, with their outcomes."`
}

// Trace is one node that ran.
type Trace struct {
	Node    string  `json:"node" doc:"ID of the node."`
	Outcome string  `json:"outcome" doc:"Output that the node chose."`
	Detail  string  `json:"detail" doc:"Detail that the node noted."`
	MS      float64 `json:"ms" doc:"Duration of the node. Milliseconds."`
}

func (s *Service) test() command.Definition {
	return command.Define(command.Spec[TestParams, TestResult]{
		Name:        "FLOW.TEST",
		Summary:     "Test a flow or a draft graph with a made-up context.",
		Description: "Nothing is changed, and no server is called: you provide the results of `webhook_check` and `rate_limit` nodes in `mocks`.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p TestParams) (TestResult, error) {
			trigger, graph, err := s.tested(ctx, call, p)
			if err != nil {
				return TestResult{}, err
			}
			made, err := s.sound(ctx, call.Caller.Org, trigger, graph)
			if err != nil {
				return TestResult{}, err
			}
			facts, found := plan.Read(trigger, p.Context, s.Clock.Now())
			if found != nil {
				return TestResult{}, fault.Refuse(found...)
			}
			org, err := p.at(call.Caller)
			if err != nil {
				return TestResult{}, err
			}
			ended, err := made.Begin().Go(ctx, plan.Whole, facts, mocks{p.Mocks, s.Lists, org}, s.Clock)
			return shown(ended.Outcome), err
		},
	})
}

// tested returns the graph to run.
func (s *Service) tested(ctx context.Context, call command.Call, p TestParams) (flow.Trigger, flow.Graph, error) {
	switch {
	case p.Name != "" && p.Nodes == nil:
		found, err := s.find(ctx, call.Caller, p.ScopeParams, p.Name, p.Version)
		return found.Trigger, found.Current.Graph, err
	case p.Name == "" && p.Nodes != nil && p.Trigger != "":
		return p.Trigger, flow.Graph{Nodes: p.Nodes, Edges: p.Edges}, nil
	}
	return "", flow.Graph{}, errGraph
}

func shown(o flow.Outcome) TestResult {
	return TestResult{Decision: o.Decision(), Reason: o.Reason, Path: o.Path(), Claims: o.Demand.Claims, Trace: traced(o.Trace)}
}

func traced(steps []flow.Step) []Trace {
	all := make([]Trace, len(steps))
	for i, step := range steps {
		all[i] = Trace{Node: step.Node, Outcome: step.Outcome, Detail: step.Detail, MS: ms(step.Took)}
	}
	return all
}

// mocks are effects that a test makes up, beside lists of addresses as they are.
type mocks struct {
	made  map[string]Mock
	lists addresses.Lists
	org   workspace.ID
}

var errUnmocked = errors.New("the server does not answer: mocks has no decision for this node")

// Count returns what the mock of a node says.
func (m mocks) Count(_ context.Context, node, _ string, _ limit.Rule) (bool, error) {
	return m.made[node].Over, nil
}

// Listed looks at a list of the scope.
func (m mocks) Listed(ctx context.Context, list iprule.List, address netip.Addr) (bool, error) {
	return m.lists.Contains(ctx, m.org, list, address)
}

// Ask answers what the mock of a node says.
func (m mocks) Ask(_ context.Context, node string, _ plan.Hook, _ plan.Facts) (plan.Answer, error) {
	one := m.made[node]
	if one.Decision == "" {
		return plan.Answer{}, errUnmocked
	}
	return plan.Answer{Decision: one.Decision, Reason: one.Reason, Claims: one.Claims}, nil
}
