package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/application/social"
	"gatehouse.internal/ports/inbound"
)

// Catalog describes all commands and kinds of events without a store: what the
// command line and the golden files need.
func Catalog() ([]inbound.Descriptor, []inbound.KindDescriptor, error) {
	p := storeless()
	if err := p.declare(); err != nil {
		return nil, nil, err
	}
	return p.registry.Catalog(), p.kinds, nil
}

// storeless are parts that can declare their commands, and run none.
func storeless() *parts { return &parts{store: &sqlstore.Store{}, social: &social.Service{}} }
