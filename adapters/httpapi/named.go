package httpapi

import (
	"net/http"

	"github.com/gorilla/mux"

	"gatehouse.internal/domain/fault"
)

// pathNamed is the address of a single command.
const pathNamed = pathExecute + "/{name}"

var errQuery = fault.New(fault.Validation, "the address takes no query parameters: send parameters in the body, and Dry-Run as a header")

// named serves POST /api/v1/execute/<NAME>, whose body is the parameters alone
// (spec/surfaces.md section 1). Names are case-sensitive.
type named struct{ *execution }

func (n named) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if empty := r.ContentLength == 0 && len(r.Header["Content-Type"]) == 0; !empty && !isJSON(r.Header) {
		n.refuseType(w, r, "unsupported body: send application/json in UTF-8, uncompressed, or no body")
		return
	}
	n.read(w, r, func(body []byte) (envelope, *fault.Error) {
		call, refused := n.parser.parseParams(mux.Vars(r)["name"], body)
		if refused == nil && r.URL.RawQuery != "" {
			refused = errQuery
		}
		return call, refused
	})
}
