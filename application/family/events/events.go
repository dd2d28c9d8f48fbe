// Package events is the family EVENT: what kinds of events there are.
package events

import (
	"gatehouse.internal/application/command"
	"gatehouse.internal/ports/inbound"
)

// Service holds what the family's commands need.
type Service struct {
	// Kinds describes every kind, in the order of the names; it is complete only
	// after the families are.
	Kinds func() []inbound.KindDescriptor
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.kindList(),
		s.kindGet(),
	}
}
