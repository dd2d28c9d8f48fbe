// Package audit is the family AUDIT: reading the event log, and what applications add to it.
package audit

import (
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/page"
	"gatehouse.internal/ports/outbound"
)

// Repos is what the family stores.
type Repos struct {
	Log outbound.AuditLog
}

// Service holds what the family's commands need.
type Service struct {
	Unit    outbound.Unit[Repos]
	Trail   outbound.AuditTrail
	Clock   outbound.Clock
	Cursors page.Cursors
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.record(),
		s.search(),
	}
}
