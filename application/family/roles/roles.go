// Package roles is the family ROLE: the roles of a workspace.
package roles

import (
	"gatehouse.internal/application/command"
	"gatehouse.internal/ports/outbound"
)

// Repos is what the family stores.
type Repos struct {
	Workspaces outbound.Workspaces
}

// Service holds what the family's commands need.
type Service struct {
	Unit outbound.Unit[Repos]
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.list(),
	}
}
