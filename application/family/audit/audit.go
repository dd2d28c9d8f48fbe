// Package audit is the family AUDIT: reading the event log.
package audit

import (
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/page"
	"gatehouse.internal/ports/outbound"
)

// Service holds what the family's commands need.
type Service struct {
	Trail   outbound.AuditTrail
	Cursors page.Cursors
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.search(),
	}
}
