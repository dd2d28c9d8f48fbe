package bootstrap

import (
	"context"

	"gatehouse.internal/adapters/expression"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/adapters/yaml"
	"gatehouse.internal/application/family/flows"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/workspace"
)

// flowCost limits the cost of an expression, in cel-go's units.
const flowCost = 10_000

// flowCompiler returns the compiler of flow graphs.
func (p *parts) flowCompiler() plan.Compiler {
	return plan.Compiler{Expressions: &p.expressions, Language: expression.Costing(flowCost), Guard: p.sender}
}

// addFlows wires the execution of flows.
func (p *parts) addFlows(sealing sealers) {
	p.live = &live.Flows{
		Directory: ops.FlowDirectory(p.store), Orgs: workspaces.WorkspaceDirectory(p.store),
		Compiler: p.flowCompiler(),
		Lists:    p.addresses, Admission: p.limits.admission, Transactions: p.store, Blinder: p.store.Blinder(),
		Sender: p.sender, Key: mac.New(sealing.flows), Places: p.scorer.Places, Clock: p.clock, IDs: p.ids,
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) live.Repos { return live.Repos{Runs: ops.FlowRuns(tx)} }), Instance: p.instance,
	}
}

func (p *parts) flows() family { return family{service: p.flowService(), events: flow.Events()} }

func (p *parts) flowService() *flows.Service {
	return &flows.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) flows.Repos {
			return flows.Repos{Flows: ops.Flows(tx)}
		}),
		Directory: ops.FlowDirectory(p.store),
		Compiler:  p.flowCompiler(),
		Lists:     p.addresses,
		Runs:      ops.FlowRunDirectory(p.store),
		Live:      p.live,
		Documents: yaml.Documents{},
		Cursors:   p.cursors,
		Clock:     p.clock,
		IDs:       p.ids,
	}
}

// DisableFlow disables a flow of a workspace, or of the instance if org is empty,
// without authorization.
func (s *Service) DisableFlow(ctx context.Context, org, name string) error {
	return s.parts.flowService().Lift(ctx, workspace.ID(org), flow.Name(name))
}
