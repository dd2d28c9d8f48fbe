package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/maildomains"
	"gatehouse.internal/application/upkeep"
)

func (p *parts) keeper() *upkeep.Keeper {
	return &upkeep.Keeper{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) upkeep.Repos {
			return upkeep.Repos{Keys: ops.KeyRing(tx), Failures: signin.LoginFailures(tx), Ended: licensing.Ended(tx), Events: tx.Events()}
		}),
		Upkeep:   ops.Upkeep(p.store),
		Instance: p.instance,
		Keys:     p.rack(),
		Domains: &maildomains.Watch{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) maildomains.WatchRepos {
				return maildomains.WatchRepos{
					Due: workspaces.DueDomains(tx), Domains: workspaces.MailDomains(tx), Workspaces: workspaces.Workspaces(tx), Mails: tx.Mails(),
				}
			}),
			Rights: workspaces.Rights(p.store), DNS: p.dns(), Clock: p.clock, Logger: p.logger,
		},
		Clock:  p.clock,
		Logger: p.logger,
	}
}
