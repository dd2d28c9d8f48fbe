// Package permissions is the family PERMISSION: what there is to permit, and
// who may do it.
package permissions

import (
	"gatehouse.internal/application/command"
	"gatehouse.internal/ports/outbound"
)

// Repos is what the family reads inside a unit of work.
type Repos struct {
	Workspaces outbound.Workspaces
}

// Service holds what the family's commands need.
type Service struct {
	Unit     outbound.Unit[Repos]
	Accounts outbound.Accounts
	Users    outbound.UserDirectory
	Clock    outbound.Clock
	// Registry gives all commands; it is complete only after the families are.
	Registry func() *command.Registry
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.check(),
		s.list(),
	}
}
