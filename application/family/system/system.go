// Package system implements the family SYSTEM: diagnostics and maintenance of an
// instance.
package system

import (
	"log/slog"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/ops"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Settings ops.Settings
	Events   outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit     outbound.Unit[Repos]
	Upkeep   ops.Upkeep
	Mails    mailing.Queue
	Jobs     ops.JobDirectory
	Replicas ops.Replicas
	Server   mailing.Server
	Instance *instance.Current
	Clock    outbound.Clock
	Logger   *slog.Logger
	// About is what the program says of itself.
	About About
	// Registry returns all commands; it is complete only after the families are.
	Registry func() *command.Registry
	// Findings judges the configuration that the instance was started with.
	Findings func() []Finding
}

// About is what never changes while the program runs.
type About struct {
	Version string
	// Issuer is the public address.
	Issuer string
	// Sealing reports whether personal data is encrypted at rest.
	Sealing bool
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.infoGet(),
		s.healthGet(),
		s.statsGet(),
		s.configCheck(),
		s.purgeExpired(),
		s.setMaintenance(),
		s.replicaList(),
	}
}
