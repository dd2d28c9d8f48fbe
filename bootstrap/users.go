package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/family/users"
	"gatehouse.internal/domain/user"
)

func (p *parts) users() family { return family{service: p.userService(), events: user.Events()} }

// userService returns the service of the account commands and their jobs.
func (p *parts) userService() *users.Service {
	return &users.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) users.Repos {
			return users.Repos{
				AccessRepos: standing(tx), Credentials: signin.Credentials(tx), Workspaces: workspaces.Workspaces(tx), Books: workspaces.Books(tx),
				Belonging: workspaces.UserWorkspaces(tx), Mails: tx.Mails(),
				Identities: signin.Identities(tx), LoginMethods: signin.LoginMethods(tx), Passkeys: signin.Passkeys(tx), Groups: workspaces.Groups(tx), Merges: people.Merges(tx), Uses: people.Uses(tx), Factors: signin.SecondFactors(tx),
				Events: tx.Events(),
			}
		}),
		Login:        p.login,
		Tickets:      p.tickets(),
		Transactions: p.store,
		Directory:    people.UserDirectory(p.store),
		Rights:       workspaces.Rights(p.store),
		Groups:       workspaces.GroupDirectory(p.store),
		Books:        p.books,
		Factors:      signin.FactorDirectory(p.store),
		Identities:   signin.IdentityDirectory(p.store),
		Passwords:    p.passwords,
		Policies:     p.policies,
		Providers:    p.social.Providers,
		Cursors:      p.cursors,
		Clock:        p.clock,
		IDs:          p.ids,
		Jobs:         p.desk(),
	}
}
