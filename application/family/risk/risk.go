// Package risk is the family RISK: what looks like an attack, and what was done
// about it.
package risk

import (
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/instance"
	"gatehouse.internal/application/page"
	"gatehouse.internal/ports/outbound"
)

// Service holds what the family's commands need.
type Service struct {
	Lockouts outbound.Lockouts
	Instance *instance.Current
	Counters outbound.LimitCounters
	// Blinder is the one that requests are counted under.
	Blinder outbound.Blinder
	Clock   outbound.Clock
	Cursors page.Cursors
	// Registry gives the commands, once all families are declared.
	Registry func() *command.Registry
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.lockoutList(),
	}
}
