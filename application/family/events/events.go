// Package events is the family EVENT: what kinds of events there are.
package events

import (
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/kinds"
)

// Service holds the dependencies of the family's commands.
type Service struct {
	// Kinds returns every kind; it is complete only after the families are.
	Kinds func() *kinds.Catalogue
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.kindList(),
		s.kindGet(),
	}
}
