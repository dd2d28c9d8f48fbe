package bootstrap

import (
	"net/http"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/adapters/pages"
	"gatehouse.internal/ports/inbound"
)

// site wires the pages for people.
func (p *parts) site(commands inbound.Commands, sealing sealers) (http.Handler, error) {
	site := pages.Site{
		Commands: commands, Sealer: sealing.browsers, Blinder: cipher.NewBlinder(sealing.forms),
		Random: p.random, Clock: p.clock, Logger: p.logger, Host: p.config.ServiceHost,
		Origin: httpapi.NewOrigins(p.config.proxies, p.config.ServiceHost).Of,
	}
	return site.Handler()
}
