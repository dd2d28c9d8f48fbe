// Package system is the family SYSTEM: what operators ask an instance about
// itself, and what they have it do.
package system

import (
	"log/slog"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/instance"
	"gatehouse.internal/ports/outbound"
)

// Repos is what the family stores.
type Repos struct {
	Events outbound.Events
}

// Service holds what the family's commands need.
type Service struct {
	Unit     outbound.Unit[Repos]
	Upkeep   outbound.Upkeep
	Mails    outbound.MailQueue
	Server   outbound.MailServer
	Instance *instance.Current
	Clock    outbound.Clock
	Logger   *slog.Logger
	// About is what the program says of itself.
	About About
	// Registry gives all commands; it is complete only after the families are.
	Registry func() *command.Registry
	// Findings judges the configuration that the instance was started with.
	Findings func() []Finding
}

// About is what never changes while the program runs.
type About struct {
	Version string
	// Issuer is the public address.
	Issuer string
	// Sealing tells whether personal data is encrypted at rest.
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
	}
}
