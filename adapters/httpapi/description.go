package httpapi

import (
	"net/http"
	"sync"

	"gatehouse.internal/adapters/httpapi/openapi"
	"gatehouse.internal/ports/inbound"
)

// description serves GET /api/v1/openapi.json, with ?family= for the commands of one family,
// and GET /api/v1/schemas.json.
type description struct {
	commands inbound.Commands
	version  string
	issuer   string
	answers  *answers
	schemas  http.Handler
	// documents caches handlers by family; "" is the whole.
	documents sync.Map
}

func (s *Server) description(a *answers) *description {
	d := &description{commands: s.Commands, version: s.Version, issuer: s.Discovery.Issuer(), answers: a}
	d.schemas = a.lastingOr(func() (any, error) {
		return openapi.Schemas(openapi.Source{Issuer: d.issuer, Version: d.version, Commands: d.commands.Catalog(), Events: s.Discovery.Kinds()})
	})
	return d
}

func (d *description) openAPI(w http.ResponseWriter, r *http.Request) {
	family := r.URL.Query().Get("family")
	page, asked := d.documents.Load(family)
	if !asked {
		listed := d.commands.Catalog()
		if family != "" {
			found, refused := familyOf(d.commands, family)
			if refused != nil {
				d.answers.refuse(w, r, "", refused)
				return
			}
			listed = found
		}
		page, _ = d.documents.LoadOrStore(family, d.answers.lastingOr(func() (any, error) {
			return openapi.Document(openapi.Source{Issuer: d.issuer, Version: d.version, Commands: listed})
		}))
	}
	page.(http.Handler).ServeHTTP(w, r) //nolint:forcetypeassert // nothing else is stored
}
