// Package risk is the family RISK: what looks like an attack, and what was done
// about it.
package risk

import (
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
)

// Service holds the dependencies of the family's commands.
type Service struct {
	Lockouts people.Lockouts
	Instance *instance.Current
	Counters ops.LimitCounters
	// Blinder is the one that requests are counted under.
	Blinder outbound.Blinder
	Clock   outbound.Clock
	Cursors page.Cursors
	// Registry returns the commands, once all families are declared.
	Registry func() *command.Registry
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.lockoutList(),
	}
}
