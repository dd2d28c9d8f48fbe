package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/application/family/factors"
	"gatehouse.internal/domain/mfa"
)

func (p *parts) factors() family {
	return family{
		service: &factors.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) factors.Repos {
				return factors.Repos{
					AccessRepos: standing(tx), Factors: signin.SecondFactors(tx),
				}
			}),
			Directory: signin.FactorDirectory(p.store),
			Users:     people.UserDirectory(p.store),
			Policies:  p.policies,
			Clock:     p.clock,
			Random:    p.random,
		},
		events: mfa.Events(),
	}
}
