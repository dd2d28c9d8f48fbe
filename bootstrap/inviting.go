package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/invitations"
)

func invitingRepos(tx *sqlstore.Tx) invitations.Repos {
	return invitations.Repos{
		Invitations: workspaces.Invitations(tx), Workspaces: workspaces.Workspaces(tx), Books: workspaces.Books(tx), Users: people.Users(tx),
		Apps: machines.Apps(tx), Challenges: signin.Challenges(tx), Mails: tx.Mails(),
	}
}

// inviting returns the service that sends and revokes invitations.
func (p *parts) inviting() *invitations.Service {
	return &invitations.Service{
		Unit: sqlstore.NewUnit(p.store, invitingRepos), Directory: workspaces.InvitationDirectory(p.store), Links: signin.Links(p.store),
		Transactions: p.store, Limits: p.limits.admission, Instance: p.instance, Blinder: p.store.Blinder(), Clock: p.clock, IDs: p.ids,
	}
}
