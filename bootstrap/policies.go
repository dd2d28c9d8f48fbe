package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/family/policies"
	"gatehouse.internal/domain/policy"
)

func (p *parts) policyCommands() family {
	return family{
		service: &policies.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) policies.Repos {
				return policies.Repos{Policies: ops.Policies(tx), Workspaces: workspaces.Workspaces(tx), Events: tx.Events()}
			}),
			Policies: p.policies,
		},
		events: policy.Events(),
	}
}
