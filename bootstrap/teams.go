package bootstrap

import (
	"slices"

	"gatehouse.internal/adapters/dns"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/audience"
	"gatehouse.internal/application/family/teams"
	"gatehouse.internal/application/maildomains"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/workspace"
)

func (p *parts) teams() family {
	return family{service: p.teamService(), events: slices.Concat(workspace.Events(), invitation.Events(), maildomain.Events())}
}

// teamService returns the service of the workspace commands and their jobs.
func (p *parts) teamService() *teams.Service {
	return &teams.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) teams.Repos {
			return teams.Repos{
				Workspaces: workspaces.Workspaces(tx), CreationLimits: workspaces.CreationLimits(tx), Deletions: workspaces.Deletions(tx), Books: workspaces.Books(tx),
				APIKeys: machines.APIKeys(tx), Users: people.Users(tx), Inviting: invitingRepos(tx), Jobs: ops.Jobs(tx),
				Domains: workspaces.MailDomains(tx), Owners: licensing.Owners(tx),
				Audiences: audience.Repos{Resources: machines.Resources(tx), Domains: machines.AudienceDomains(tx)},
			}
		}),
		Login:     p.login,
		Instance:  p.instance,
		Directory: workspaces.WorkspaceDirectory(p.store),
		Members:   people.MemberDirectory(p.store),
		Books:     p.books,
		People:    people.UserDirectory(p.store),
		Cursors:   p.cursors,
		Clock:     p.clock,
		IDs:       p.ids,

		Inviting:    p.inviting(),
		Invitations: workspaces.InvitationDirectory(p.store),

		Domains: workspaces.MailDomainDirectory(p.store),
		Prover:  maildomains.Prover{DNS: p.dns(), Transactions: p.store},
		Random:  p.random,
	}
}

func (p *parts) dns() dns.Resolver {
	return dns.Resolver{Server: p.config.DNSResolver, Random: p.random}
}
