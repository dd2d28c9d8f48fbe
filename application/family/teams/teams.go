// Package teams implements the family TEAM: workspaces and their members.
package teams

import (
	"context"
	"slices"
	"time"

	"gatehouse.internal/application/audience"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/application/maildomains"
	"gatehouse.internal/application/membership"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/licensing"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Workspaces     workspaces.Workspaces
	CreationLimits workspaces.CreationLimits
	Deletions      workspaces.Deletions
	Books          workspaces.Books
	APIKeys        machines.APIKeys
	Users          people.Users
	Inviting       invitations.Repos
	Domains        workspaces.MailDomains
	Audiences      audience.Repos
	Jobs           ops.Jobs
	Owners         licensing.Owners
}

// membership returns what ends memberships.
func (tx Repos) membership() membership.Repos {
	return membership.Repos{Workspaces: tx.Workspaces, APIKeys: tx.APIKeys}
}

// joining returns what people of a domain join with.
func (tx Repos) joining() maildomains.Repos {
	return maildomains.Repos{Workspaces: tx.Workspaces, Books: tx.Books, Domains: tx.Domains}
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Login     *login.Service
	Instance  *instance.Current
	Directory workspaces.WorkspaceDirectory
	Members   people.MemberDirectory
	Books     *rolegrant.Books
	Cursors   page.Cursors
	People    people.UserDirectory
	Clock     outbound.Clock
	IDs       outbound.IDs

	Inviting    *invitations.Service
	Invitations workspaces.InvitationDirectory

	Domains workspaces.MailDomainDirectory
	Prover  maildomains.Prover
	Random  outbound.Random
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return slices.Concat([]command.Definition{
		s.create(),
		s.list(),
		s.get(),
		s.update(),
		s.disable(),
		s.enable(),
		s.delete(),
		s.listMembers(),
		s.switchTo(),
		s.leave(),
		s.memberAdd(),
		s.memberRemove(),
		s.transferOwnership(),
	}, s.invitations(), s.domains())
}

// now returns the time as it is stored.
func (s *Service) now() time.Time { return s.Clock.Now().Truncate(time.Microsecond) }

// OrganizationResult is a workspace after a change.
type OrganizationResult struct {
	Organization view.Organization `json:"organization" doc:"The workspace."`
}

func (s *Service) shown(ctx context.Context, w *workspace.Workspace) (OrganizationResult, error) {
	shown, err := s.show(ctx, w.Snapshot())
	return OrganizationResult{Organization: shown}, err
}

// show shows a workspace, its default role by name.
func (s *Service) show(ctx context.Context, of workspace.Snapshot) (view.Organization, error) {
	shown := view.OfWorkspace(of)
	if _, builtin := role.Plain().ByKey(of.DefaultRole); builtin {
		return shown, nil
	}
	book, err := s.Books.Now(ctx, of.ID)
	if err != nil {
		return shown, err
	}
	given, _ := book.ByKey(of.DefaultRole)
	shown.DefaultRole = given.Name
	return shown, nil
}
