// Package settings implements the family SETTINGS: settings of the instance that can be
// changed at run time.
package settings

import (
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/ports/outbound"
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
