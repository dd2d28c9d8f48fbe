// Package audit implements the family AUDIT: the event log, entries of applications,
// the hash chain, and streams to collectors.
package audit

import (
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/kinds"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/jobs"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/webhooks"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Log     outbound.AuditLog
	Quotas  machines.Quotas
	Events  outbound.Events
	Streams webhooks.Streams
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit         outbound.Unit[Repos]
	Transactions outbound.Transactions
	Jobs         jobs.Desk
	Instance     *instance.Current
	Trail        outbound.AuditTrail
	Chain        webhooks.Chain
	Heads        webhooks.Heads
	JOSE         crypt.JOSE
	Streams      webhooks.StreamDirectory
	Shipper      webhooks.Shipper
	// Kinds returns the catalog of events, there once all families are.
	Kinds   func() *kinds.Catalog
	IDs     outbound.IDs
	Clock   outbound.Clock
	Cursors page.Cursors
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.changeList(),
		s.export(),
		s.record(),
		s.search(),
		s.streamCreate(),
		s.streamDelete(),
		s.streamList(),
		s.streamTest(),
		s.streamUpdate(),
		s.verify(),
	}
}
