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
var errGraph = fault.Unfit("/name", "is required, or trigger with nodes in its place")

// TestParams are the parameters of FLOW.TEST.
type TestParams struct {
	Name flow.Name `json:"name,omitzero" doc:"A stored flow; absent: the graph of nodes and edges." example:"-"`
	Place
	Trigger flow.Trigger    `json:"trigger,omitzero" doc:"With nodes: what the graph decides about."`
	Version int             `json:"version,omitzero" doc:"Version of the stored flow; absent: the current one." jsonschema:"minimum=1" example:"-"`
	Nodes   []flow.Node     `json:"nodes,omitzero" doc:"The nodes of a graph that is not stored." jsonschema:"maxItems=256"`
	Edges   []flow.Edge     `json:"edges,omitzero" doc:"Its edges." jsonschema:"maxItems=512" example:"-"`
	Context map[string]any  `json:"context" doc:"What the flow is to see, by the schema that FLOW.TRIGGER_LIST names; what is left out has its default."`
	Mocks   map[string]Mock `json:"mocks,omitzero" doc:"By the ids of nodes: what webhook_check and rate_limit are to find."`
}

// Mock is what a node that reaches outside is to find in a test.
type Mock struct {
	Decision string                     `json:"decision,omitzero" doc:"Of webhook_check: allow or deny; absent: the server does not answer." jsonschema:"enum=allow,enum=deny"`
	Reason   string                     `json:"reason,omitzero" doc:"Of webhook_check: why." jsonschema:"maxLength=200"`
	Claims   map[string]json.RawMessage `json:"claims,omitzero" doc:"Of webhook_check: claims."`
	Over     bool                       `json:"over,omitzero" doc:"Of rate_limit: whether there were too many."`
}

// TestResult is the result of FLOW.TEST.
type TestResult struct {
	Decision flow.Decision              `json:"decision" doc:"What the flow comes to."`
	Reason   string                     `json:"reason" doc:"Why it denies, or empty."`
	Path     []string                   `json:"path" doc:"The nodes that ran, in order."`
	Claims   map[string]json.RawMessage `json:"claims" doc:"Claims that it sets."`
	Trace    []Trace                    `json:"trace" doc:"What each of them came to."`
}

// Trace is one node that ran.
type Trace struct {
	Node    string  `json:"node" doc:"Its id."`
	Outcome string  `json:"outcome" doc:"What it left by."`
	Detail  string  `json:"detail" doc:"What it noted."`
	MS      float64 `json:"ms" doc:"How long it took, in milliseconds."`
}

func (s *Service) test() command.Definition {
	return command.Define(command.Spec[TestParams, TestResult]{
		Name:    "FLOW.TEST",
		Summary: "Run a stored or a given graph over a context that you make up; nothing is changed, and nothing outside is called.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
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
		found, err := s.find(ctx, call.Caller, p.Place, p.Name, p.Version)
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

var errUnmocked = errors.New("the server does not answer: mocks name no decision of this node")

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
