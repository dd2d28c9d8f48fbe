package bootstrap

import (
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/kinds"
	"gatehouse.internal/application/signin/social"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/inbound"
)

// Catalog returns all commands and event kinds without a store, for the command line
// and the golden files.
func Catalog() ([]inbound.Descriptor, []inbound.KindDescriptor, error) {
	p := storeless()
	if err := p.declare(); err != nil {
		return nil, nil, err
	}
	return p.registry.Catalog(), p.kinds.Describe(), nil
}

// storeless returns parts that can declare commands but not execute them.
func storeless() *parts { return &parts{store: &sqlstore.Store{}, social: &social.Service{}} }

// declare registers the commands and event kinds of all families.
func (p *parts) declare() error {
	var commands []command.Definition
	var events []event.Definition
	for _, f := range p.families() {
		commands = append(commands, f.service.Commands()...)
		events = append(events, f.events...)
	}
	var err error
	if p.registry, err = command.NewRegistry(commands, events); err != nil {
		return fmt.Errorf("invalid command declarations: %w", err)
	}
	if p.kinds, err = kinds.New(events, p.registry); err != nil {
		return fmt.Errorf("invalid event declarations: %w", err)
	}
	return nil
}

// all returns the registry; it is complete after declare.
func (p *parts) all() *command.Registry { return p.registry }
