package loginevent

import "gatehouse.internal/domain/event"

// KindCodeRequested is the kind of CodeRequested.
const KindCodeRequested event.Kind = "login.code_requested"

// CodeRequested is the content of login.code_requested. It contains no account, since
// looking one up would reveal by timing whether it exists.
type CodeRequested struct {
	Method string `json:"method" doc:"Method that was requested: an emailed code or link, or session for a sign-in on the command line." jsonschema:"enum=code,enum=link,enum=session"`
}

// Kind is login.code_requested.
func (CodeRequested) Kind() event.Kind { return KindCodeRequested }
