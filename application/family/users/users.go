// Package users implements the family USER: accounts, profiles and their
// administration.
package users

import (
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/signin/ticket"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	account.AccessRepos

	Credentials  signin.Credentials
	Workspaces   workspaces.Workspaces
	Books        workspaces.Books
	Belonging    workspaces.UserWorkspaces
	Mails        mailing.Mails
	Identities   signin.Identities
	LoginMethods signin.LoginMethods
	Passkeys     signin.Passkeys
	Groups       workspaces.Groups
	Merges       people.Merges
	Uses         people.Uses
	Factors      signin.SecondFactors
	Events       outbound.Events
}

// within returns the family's repositories of a login's unit of work.
func within(tx login.Repos) Repos {
	return Repos{AccessRepos: tx.AccessRepos, Credentials: tx.Credentials, Workspaces: tx.Workspaces, Books: tx.Books, Belonging: tx.Belonging, Mails: tx.Mails}
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit         outbound.Unit[Repos]
	Login        *login.Service
	Transactions outbound.Transactions
	Directory    people.UserDirectory
	Rights       workspaces.Rights
	Groups       workspaces.GroupDirectory
	Books        *rolegrant.Books
	Factors      signin.FactorDirectory
	Identities   signin.IdentityDirectory
	Passwords    account.Passwords
	Policies     account.Policies
	Providers    account.Providers
	Cursors      page.Cursors
	Clock        outbound.Clock
	IDs          outbound.IDs
	Tickets      *ticket.Service
	Jobs         jobs.Desk
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.me(),
		s.list(),
		s.get(),
		s.create(),
		s.update(),
		s.changePassword(),
		s.setPassword(),
		s.delete(),
		s.disable(),
		s.enable(),
		s.unlock(),
		s.setRole(),
		s.unsetRole(),
		s.setSuperadmin(),
		s.setMetadata(),
		s.bulkImport(),
		s.bulkExport(),
		s.bulkDelete(),
		s.merge(),
		s.identityList(),
		s.identityUnlink(),
		s.changeEmail(),
		s.setEmail(),
		s.setRequiredActions(),
		s.ticketCreate(),
	}
}
