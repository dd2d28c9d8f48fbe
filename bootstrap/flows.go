package bootstrap

import (
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
)

// flowCost bounds what one expression of a flow may cost, in cel-go's units.
const flowCost = 10_000

// flowCompiler compiles the graphs of flows.
func (p *parts) flowCompiler() plan.Compiler {
	return plan.Compiler{Expressions: expression.Costing(flowCost), Guard: p.sender}
}

// addFlows wires how flows decide.
func (p *parts) addFlows(sealing sealers) {
	p.live = &live.Flows{
		Directory: ops.FlowDirectory(p.store), Orgs: workspaces.WorkspaceDirectory(p.store),
		Compiler: p.flowCompiler(),
		Lists:    p.addresses, Admission: p.limits.admission, Transactions: p.store, Blinder: p.store.Blinder(),
		Sender: p.sender, Key: mac.New(sealing.flows), Places: p.scorer.Places, Clock: p.clock, IDs: p.ids,
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) live.Repos { return live.Repos{Runs: ops.FlowRuns(tx)} }), Instance: p.instance,
	}
}

func (p *parts) flows() family {
	return family{
		service: &flows.Service{
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
		},
		events: flow.Events(),
	}
}
