// Package registry implements the family REGISTRY: descriptions of the commands,
// derived from their declarations.
package registry

import (
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/fault"
)

// Service holds the dependencies of the family's commands.
type Service struct {
	// Registry returns all commands; it is complete only after the families are.
	Registry func() *command.Registry
	Instance *instance.Current
	Cursors  page.Cursors
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.search(),
		s.describe(),
		s.errorList(),
		s.validate(),
	}
}

// find returns a command by its name; it fails with NOT_FOUND, and suggests the nearest.
func (s *Service) find(name string) (*command.Definition, error) {
	if found, ok := s.Registry().Find(name); ok {
		return found, nil
	}
	return nil, fault.New(fault.NotFound, s.Registry().Unknown(name).Message)
}
