// Package permissions implements the family PERMISSION: the permissions that exist, and
// who has them.
package permissions

import (
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/rebac"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/workspaces"
)

// The permissions of the family. reading is also what it takes to ask about somebody
// else.
const (
	reading = "permissions:read"
	writing = "permissions:write"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Books workspaces.Books
	Roles workspaces.Roles
	Own   workspaces.OwnPermissions
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Rights    workspaces.Rights
	Directory workspaces.PermissionDirectory
	Books     *rolegrant.Books
	Relating  *rebac.Service
	Cursors   page.Cursors
	Clock     outbound.Clock
	// Registry returns all commands; it is complete only after the families are.
	Registry func() *command.Registry
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.check(),
		s.bulkCheck(),
		s.effectiveList(),
		s.holderList(),
		s.list(),
		s.create(),
		s.delete(),
	}
}
