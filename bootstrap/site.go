package bootstrap

import (
	"encoding/json"
	"net/http"
	"slices"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/adapters/pages"
	"gatehouse.internal/adapters/pages/development"
	"gatehouse.internal/adapters/pages/docs"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/ports/inbound"
)

// site wires the web pages and the documentation.
func (p *parts) site(commands inbound.Commands, sealing sealers) (http.Handler, error) {
	site := pages.Site{Site: kit.Site{
		Commands: commands, Sealer: sealing.browsers, Blinder: cipher.NewBlinder(sealing.forms),
		Random: p.random, Clock: p.clock, Logger: p.logger, Host: p.config.ServiceHost,
		Origin: httpapi.NewOrigins(p.config.Proxies, p.config.ServiceHost).Of,
		Logos:  p.logos(),
	}, Paddle: p.paddlePage()}
	if p.config.Development {
		site.Dev = &development.Dev{
			Version: Version, Mailbox: p.post.recent, Payments: p.sandbox,
			Email: p.config.AdminEmail, Password: p.config.AdminPassword,
		}
	}
	people, err := site.Handler()
	if err != nil {
		return nil, err
	}
	guides, err := docs.Handbook{
		Catalog: commands.Catalog, Kinds: p.kinds.Describe, Nodes: nodeTypes, Version: Version,
	}.Handler()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", people)
	mux.Handle(docs.Path, guides)
	mux.Handle(docs.Path+"/", guides)
	return mux, nil
}

// sitePaths returns the path prefixes of the pages.
func sitePaths(c *config.Config) []string {
	if c.Development {
		return slices.Concat(pages.Paths(), development.Paths(), []string{docs.Path})
	}
	return append(pages.Paths(), docs.Path)
}

// nodeTypes returns the types of flow nodes for the reference.
func nodeTypes() []inbound.NodeDescriptor {
	var all []inbound.NodeDescriptor
	for _, k := range plan.Kinds() {
		example, err := json.Marshal(k.Example)
		if err != nil {
			panic(err) // examples of the program are valid JSON
		}
		all = append(all, inbound.NodeDescriptor{
			Type: k.Type, Summary: k.Summary, Outputs: k.Outputs, Values: k.Values, Schema: k.Config.JSON(), Example: example,
		})
	}
	return all
}
