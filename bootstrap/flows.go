package bootstrap

import (
	"gatehouse.internal/adapters/expression"
	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/yaml"
	"gatehouse.internal/application/family/flows"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/flow"
)

// flowCost bounds what one expression of a flow may cost, in cel-go's units.
const flowCost = 10_000

func (p *parts) flows() family {
	return family{
		service: &flows.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) flows.Repos {
				return flows.Repos{Flows: ops.Flows(tx)}
			}),
			Directory: ops.FlowDirectory(p.store),
			Compiler:  plan.Compiler{Expressions: expression.Costing(flowCost), Guard: fetch.New(fetch.Options{})},
			Documents: yaml.Documents{},
			Cursors:   p.cursors,
			Clock:     p.clock,
			IDs:       p.ids,
		},
		events: flow.Events(),
	}
}
