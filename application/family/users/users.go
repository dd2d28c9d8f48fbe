// Package users is the family USER: accounts, who they are and what they may do.
package users

import (
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/login"
	"gatehouse.internal/application/page"
	"gatehouse.internal/application/ticket"
	"gatehouse.internal/ports/outbound"
)

// Repos is what the family stores.
type Repos struct {
	Users       outbound.Users
	Credentials outbound.Credentials
	Workspaces  outbound.Workspaces
	Belonging   outbound.UserWorkspaces
	Sessions    outbound.Sessions
	Challenges  outbound.Challenges
	Mails       outbound.Mails
	Identities  outbound.Identities
	WaysIn      outbound.WaysIn
	Factors     outbound.SecondFactors
}

// within are the family's repositories of a login's unit of work.
func within(tx login.Repos) Repos {
	return Repos{Users: tx.Users, Credentials: tx.Credentials, Workspaces: tx.Workspaces, Belonging: tx.Belonging, Sessions: tx.Sessions, Challenges: tx.Challenges, Mails: tx.Mails}
}

// Service holds what the family's commands need.
type Service struct {
	Unit         outbound.Unit[Repos]
	Login        *login.Service
	Transactions outbound.Transactions
	Directory    outbound.UserDirectory
	Accounts     outbound.Accounts
	Factors      outbound.FactorDirectory
	Identities   outbound.IdentityDirectory
	Passwords    account.Passwords
	Policies     account.Policies
	Providers    account.Providers
	Cursors      page.Cursors
	Clock        outbound.Clock
	IDs          outbound.IDs
	Tickets      *ticket.Service
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
		s.identityList(),
		s.identityUnlink(),
		s.changeEmail(),
		s.setEmail(),
		s.setRequiredActions(),
		s.ticketCreate(),
	}
}
