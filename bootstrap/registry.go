package bootstrap

import (
	"gatehouse.internal/application/family/registry"
)

func (p *parts) registryCommands() family {
	return family{
		service: &registry.Service{Registry: p.all, Instance: p.instance, Cursors: p.cursors},
	}
}
