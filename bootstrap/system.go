package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/mailing"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/application/family/system"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/upkeep"
)

func (p *parts) system() family {
	return family{
		service: &system.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) system.Repos {
				return system.Repos{Settings: ops.Settings(tx), Events: tx.Events()}
			}),
			Upkeep:   p.upkeep(),
			Mails:    mailing.Queue(p.store),
			Jobs:     ops.JobDirectory(p.store),
			Replicas: ops.Replicas(p.store),
			Server:   p.post.mailer,
			Instance: p.instance,
			Clock:    p.clock,
			Logger:   p.logger,
			About:    system.About{Version: Version, Issuer: p.config.ServiceHost, Sealing: !p.config.Keys.Empty()},
			Registry: p.all,
			Findings: p.config.Findings,
		},
		events: append(upkeep.Events(), maintenance.Events()...),
	}
}
