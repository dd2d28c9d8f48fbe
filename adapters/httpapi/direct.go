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
	// oauth translates form requests of OAuth clients.
	oauth dialect
	// reads reports whether GET is allowed, as a form without parameters.
	reads bool
	// flags reports whether the path speaks the OpenFeature protocol only.
	flags bool
}

// directRows returns the paths (specification section 4.4, RFC 7009, the OpenFeature
// Remote Evaluation Protocol).
func directRows() []row {
	return []row{
		{path: pathIssue, command: "M2M.TOKEN", oauth: tokens{}},
		{path: pathIntrospect, command: "M2M.INTROSPECT", oauth: introspection{}},
		{path: pathRevoke, command: "M2M.REVOKE", oauth: revocation{}},
		{path: pathRevokeOwn, command: "OAUTH.REVOKE", oauth: ownRevocation{}},
		{path: pathToken, command: "OAUTH.TOKEN", oauth: tokens{asRegistered: true}},
		{path: pathInspect, command: "OAUTH.INTROSPECT", oauth: clientIntrospection{}},
		{path: pathPush, command: "OAUTH.REQUEST_PUSH", oauth: pushedAuthorization{}},
		{path: pathDevice, command: "OAUTH.DEVICE_START", oauth: deviceAuthorization{}},
		{path: pathPerson, command: "OAUTH.USERINFO", oauth: userInfo{}, reads: true},
		{path: pathFlags, command: "FEATURE.EVALUATE", flags: true},
		{path: pathFlag, command: "FEATURE.EVALUATE", flags: true},
	}
}

// methods returns the allowed methods.
func (d row) methods() []string {
	if d.reads {
		return []string{http.MethodGet, http.MethodPost}
	}
	return []string{http.MethodPost}
}

// handler returns the handler of the path.
func (d row) handler(by *execution, pages cors) http.Handler {
	if d.flags {
		return &evaluation{execution: by, command: d.command}
	}
	return &direct{execution: by, row: d, pages: pages}
}

// direct handles the path of a command. A JSON body is processed like that of the
// command endpoint, except that it must not name a command. A form is answered
// according to OAuth.
type direct struct {
	*execution
	row

	pages cors
}

func (d *direct) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case isForm(r.Header), d.reads && len(r.Header["Content-Type"]) == 0:
		d.serveForm(w, r)
	case isJSON(r.Header):
		d.serve(w, r, func(body []byte) (envelope, *fault.Error) { return d.parser.parseFor(d.command, body) })
	default:
		d.refuseType(w, r, "unsupported body: send application/json or application/x-www-form-urlencoded in UTF-8, uncompressed")
	}
}
