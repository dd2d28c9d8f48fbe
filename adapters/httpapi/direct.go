package httpapi

import (
	"net/http"

	"gatehouse.internal/domain/fault"
)

// Paths of commands that have one of their own.
const (
	pathIssue      = "/api/m2m/token"
	pathIntrospect = "/api/m2m/introspect"
	pathRevoke     = "/api/m2m/revoke"
	pathRevokeOwn  = "/oauth/revoke"
	pathToken      = "/oauth/token" //nolint:gosec // an address
	pathPush       = "/oauth/par"
	pathInspect    = "/oauth/introspect"
	pathDevice     = "/oauth/device_authorization"
	pathPerson     = "/oauth/userinfo"
	pathAuthorize  = "/oauth/authorize"
	pathLogout     = "/oauth/end_session"
	pathFlags      = "/ofrep/v1/evaluate/flags"
	pathFlag       = pathFlags + "/{key}"
)

// row is a command with a path of its own.
type row struct {
	path, command string
	// oauth is how clients of OAuth, which send forms, speak with it.
	oauth dialect
	// reads reports whether a GET is as good as a form without parameters.
	reads bool
	// flags reports whether clients of OpenFeature speak with it, and nobody else.
	flags bool
}

// directRows returns all of them (specification section 4.4, RFC 7009, the OpenFeature Remote
// Evaluation Protocol).
func directRows() []row {
	return []row{
		{path: pathIssue, command: "M2M.TOKEN", oauth: tokens{}},
		{path: pathIntrospect, command: "M2M.INTROSPECT", oauth: introspection{}},
		{path: pathRevoke, command: "M2M.REVOKE", oauth: revocation{}},
		{path: pathRevokeOwn, command: "OAUTH.REVOKE", oauth: ownRevocation{}},
		{path: pathToken, command: "OAUTH.TOKEN", oauth: tokens{}},
		{path: pathInspect, command: "OAUTH.INTROSPECT", oauth: inspection{}},
		{path: pathPush, command: "OAUTH.REQUEST_PUSH", oauth: pushing{}},
		{path: pathDevice, command: "OAUTH.DEVICE_START", oauth: starting{}},
		{path: pathPerson, command: "OAUTH.USERINFO", oauth: person{}, reads: true},
		{path: pathFlags, command: "FEATURE.EVALUATE", flags: true},
		{path: pathFlag, command: "FEATURE.EVALUATE", flags: true},
	}
}

// methods returns those that the path takes.
func (d row) methods() []string {
	if d.reads {
		return []string{http.MethodGet, http.MethodPost}
	}
	return []string{http.MethodPost}
}

// handler answers the path of a row.
func (d row) handler(by *execution) http.Handler {
	if d.flags {
		return &evaluation{execution: by, command: d.command}
	}
	return &direct{execution: by, row: d}
}

// direct is the path of one command. A JSON body is read as that of the command
// endpoint, only that it names no command, and the answer is the same. A form is
// answered as OAuth says.
type direct struct {
	*execution
	row
}

func (d *direct) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case isForm(r.Header), d.reads && len(r.Header["Content-Type"]) == 0:
		d.serveForm(w, r)
	case isJSON(r.Header):
		d.serve(w, r, func(body []byte) (envelope, *fault.Error) { return d.parser.parseFor(d.command, body) })
	default:
		d.refuseType(w, r, "send the body as application/json or application/x-www-form-urlencoded, in UTF-8, uncompressed")
	}
}
