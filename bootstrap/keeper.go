package bootstrap

import (
	"encoding/hex"
	"os"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/maildomains"
	"gatehouse.internal/application/upkeep"
	"gatehouse.internal/domain/audit"
	opsport "gatehouse.internal/ports/outbound/ops"
)

func (p *parts) keeper() *upkeep.Keeper {
	return &upkeep.Keeper{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) upkeep.Repos {
			return upkeep.Repos{Keys: ops.KeyRing(tx), Failures: signin.LoginFailures(tx), Ended: licensing.Ended(tx), APIKeys: machines.ExpiringAPIKeys(tx), Events: tx.Events(), Impersonations: people.Impersonations(tx), Sessions: people.Sessions(tx)}
		}),
		Upkeep:   ops.Upkeep(p.store),
		Instance: p.instance,
		Policies: p.policies,
		Keys:     p.rack(),
		Domains: &maildomains.Watch{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) maildomains.WatchRepos {
				return maildomains.WatchRepos{
					Due: workspaces.DueDomains(tx), Domains: workspaces.MailDomains(tx), Workspaces: workspaces.Workspaces(tx), Mails: tx.Mails(),
				}
			}),
			Rights: workspaces.Rights(p.store), DNS: p.dns(), Clock: p.clock, Logger: p.logger,
		},
		Replicas: ops.Replicas(p.store),
		Search:   people.SearchIndex(p.store),
		Self:     p.replica(),
		Clock:    p.clock,
		Logger:   p.logger,
	}
}

// replica names this process, which its host may run several of, one after the other.
func (p *parts) replica() opsport.Replica {
	host, err := os.Hostname()
	if err != nil {
		host = "replica"
	}
	return opsport.Replica{ID: host + "-" + hex.EncodeToString(p.random.Bytes(4)), Version: Version, AuditFormat: audit.Newest, StartedAt: p.clock.Now()}
}
