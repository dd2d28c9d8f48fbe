package login

import "gatehouse.internal/domain/event"

// KindCodeRequested is the kind of CodeRequested.
const KindCodeRequested event.Kind = "login.code_requested"

// CodeRequested is the content of login.code_requested. It contains no account, since
// looking one up would reveal by timing whether it exists.
type CodeRequested struct {
	Method string `json:"method" doc:"What was to be mailed." jsonschema:"enum=code,enum=link"`
}

// Kind is login.code_requested.
func (CodeRequested) Kind() event.Kind { return KindCodeRequested }
