package bootstrap

import (
	"maps"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	jobcommands "gatehouse.internal/application/family/jobs"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/domain/job"
)

func (p *parts) jobs() family {
	return family{
		service: &jobcommands.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) jobcommands.Repos {
				return jobcommands.Repos{Jobs: ops.Jobs(tx)}
			}),
			Directory: ops.JobDirectory(p.store),
			Cursors:   p.cursors,
			Clock:     p.clock,
		},
		events: job.Events(),
	}
}

func jobRepos(tx *sqlstore.Tx) jobs.Repos {
	return jobs.Repos{
		Jobs: ops.Jobs(tx), Users: people.Users(tx), APIKeys: machines.APIKeys(tx), Apps: machines.Apps(tx),
		Workspaces: workspaces.Workspaces(tx), Rights: workspaces.Rights(tx.Store()),
	}
}

// desk returns the service that creates jobs.
func (p *parts) desk() jobs.Desk {
	return jobs.Desk{Unit: sqlstore.NewUnit(p.store, jobRepos), Clock: p.clock, IDs: p.ids}
}

// runner returns the service that executes jobs.
func (p *parts) runner() *jobs.Runner {
	works := p.userService().Works()
	maps.Copy(works, p.teamService().Works())
	maps.Copy(works, p.auditService().Works())
	maps.Copy(works, p.webhookService().Works())
	maps.Copy(works, p.billingService().Works())
	maps.Copy(works, p.licenseService().Works())
	return &jobs.Runner{
		Unit: sqlstore.NewUnit(p.store, jobRepos), Transactions: p.store, Directory: ops.JobDirectory(p.store),
		Works: works, Clock: p.clock, Logger: p.logger,
	}
}
