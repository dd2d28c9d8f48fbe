package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/family/policies"
	"gatehouse.internal/domain/policy"
)

func (p *parts) policyCommands() family {
	return family{
		service: &policies.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) policies.Repos {
				return policies.Repos{Policies: ops.Policies(tx), Workspaces: workspaces.Workspaces(tx), Events: tx.Events()}
			}),
			Policies:    p.policies,
			Readers:     account.Readers{Users: people.UserDirectory(p.store), Rights: workspaces.Rights(p.store)},
			Impacts:     ops.PolicyImpacts(p.store),
			Assessments: signin.AssessmentDirectory(p.store),
			Clock:       p.clock,
		},
		events: policy.Events(),
	}
}
