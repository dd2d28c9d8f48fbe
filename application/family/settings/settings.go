// Package settings is the family SETTINGS: what may be changed about the
// instance while it runs.
package settings

import (
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/instance"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/ports/outbound"
)

// Repos is what the family stores.
type Repos struct {
	Settings outbound.Settings
	Events   outbound.Events
}

// Service holds what the family's commands need.
type Service struct {
	Unit     outbound.Unit[Repos]
	Instance *instance.Current
	// Builtin are the settings without environment or store.
	Builtin setting.Values
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.get(),
		s.set(),
	}
}
