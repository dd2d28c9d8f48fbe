// Package roles implements the family ROLE: the roles of a workspace.
package roles

import (
	"cmp"
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/workspaces"
)

// The permissions of the family.
const (
	reading = "roles:read"
	writing = "roles:write"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Books   workspaces.Books
	Roles   workspaces.Roles
	Domains workspaces.MailDomains
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit    outbound.Unit[Repos]
	Rights  workspaces.Rights
	Books   *rolegrant.Books
	Cursors page.Cursors
	Clock   outbound.Clock
	IDs     outbound.IDs
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.create(),
		s.get(),
		s.list(),
		s.update(),
		s.delete(),
		s.memberList(),
	}
}

// Role is a role in results.
type Role struct {
	ID          *role.ID `json:"id" doc:"ID of the role. Null for a built-in role."`
	Name        string   `json:"name" doc:"Name of the role, used to assign it and in tokens."`
	Description string   `json:"description" doc:"Purpose of the role."`
	Builtin     bool     `json:"builtin" doc:"Whether the role is built in. Every workspace has the built-in roles, and they cannot be changed."`
	Permissions []string `json:"permissions" doc:"Permissions that the role grants directly, as resource:action. A lone * grants everything except the instance permissions (users:manage, sessions:manage, users:impersonate, privacy:manage)."`
	Inherits    []string `json:"inherits" doc:"Names of roles whose permissions this role also grants."`
}

// Result is a role after a change.
type Result struct {
	Role Role `json:"role" doc:"The role."`
}

func show(book *role.Book, r role.Role) Role {
	return Role{
		ID: view.Text(r.ID), Name: r.Name, Description: r.Description, Builtin: r.Builtin,
		Permissions: append([]string{}, r.Direct...), Inherits: book.Names(r.Inherits),
	}
}

// errJoined is returned for extending a role that people get by their address alone.
var errJoined = fault.New(fault.Validation,
	"people from an email domain get this role, or one that inherits it, so it cannot grant members:write: change the domain's role with TEAM.DOMAIN_UPDATE first")

// joinable fails with errJoined where a role that people of a domain join with would let
// them take others in, as the roles of the workspace would be; replaced says which role
// would take the place of which.
func (tx Repos) joinable(ctx context.Context, org workspace.ID, after *role.Book, replaced map[string]string) error {
	claimed, err := tx.Domains.OfWorkspace(ctx, org)
	if err != nil {
		return err
	}
	for _, one := range claimed {
		given, _ := after.ByKey(cmp.Or(replaced[one.Role], one.Role))
		if !maildomain.Joinable(given.Permissions) {
			return errJoined
		}
	}
	return nil
}

// now returns the time as it is stored.
func (s *Service) now() time.Time { return s.Clock.Now().Truncate(time.Microsecond) }
