package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/family/risk"
	domainrisk "gatehouse.internal/domain/risk"
)

func (p *parts) risk() family {
	return family{
		service: &risk.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) risk.Repos {
				return risk.Repos{
					Users: people.Users(tx), Sessions: people.Sessions(tx), Credentials: signin.Credentials(tx), Challenges: signin.Challenges(tx),
					Devices: signin.Devices(tx), Clients: signin.KnownClients(tx), Failures: signin.LoginFailures(tx),
					Histories: signin.RiskHistories(tx), Assessments: signin.Assessments(tx),
				}
			}),
			Assessments: signin.AssessmentDirectory(p.store),
			Readers:     account.Readers{Users: people.UserDirectory(p.store), Rights: workspaces.Rights(p.store)},
			Policies:    p.policies,
			Scorer:      p.scorer,
			Lockouts:    people.Lockouts(p.store),
			Instance:    p.instance,
			Counters:    p.limits.counters,
			Blinder:     p.store.Blinder(),
			Clock:       p.clock,
			Cursors:     p.cursors,
			Registry:    p.all,
		},
		events: domainrisk.Events(),
	}
}
