// Package registry is the family REGISTRY: what commands there are, and what
// they take and answer. Everything in it derives from their declarations.
package registry

import (
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/instance"
	"gatehouse.internal/application/page"
	"gatehouse.internal/domain/fault"
)

// errNoCommand refuses to tell about a command that there is not.
var errNoCommand = fault.New(fault.NotFound, "no command of this name; names are case-sensitive, see REGISTRY.SEARCH")

// Service holds what the family's commands need.
type Service struct {
	// Registry gives all commands; it is complete only after the families are.
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

// find gives a command by its name; it fails with errNoCommand.
func (s *Service) find(name string) (*command.Definition, error) {
	if found, ok := s.Registry().Find(name); ok {
		return found, nil
	}
	return nil, errNoCommand
}
