package flow

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"gatehouse.internal/domain/fault"
)

// Decision is the decision of a flow.
type Decision string

// The decisions, from the mildest to the strictest.
const (
	Allow         Decision = "allow"
	RequireAction Decision = "require_action"
	RequireMFA    Decision = "require_mfa"
	Deny          Decision = "deny"
)

// SchemaFragment describes the decision in a JSON Schema.
func (Decision) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(Allow), string(Deny), string(RequireMFA), string(RequireAction)}}
}

// Failed is the reason of a flow that could not run: it denies.
const Failed = "flow_error"

// Demand are the additional requirements of a flow.
type Demand struct {
	// MFA reports whether a second factor is asked for; Methods are those that answer, nil:
	// any. FreshSeconds is how old it may be, 0: as old as the session.
	MFA          bool     `json:"mfa,omitzero"`
	Methods      []string `json:"methods,omitzero"`
	FreshSeconds int      `json:"fresh_seconds,omitzero"`
	// Actions must be done first.
	Actions []string `json:"actions,omitzero"`
	// Claims are put into the access token.
	Claims map[string]json.RawMessage `json:"claims,omitzero"`
	// IdleMinutes and AbsoluteMinutes cap the session; 0: they do not.
	IdleMinutes     int `json:"idle_minutes,omitzero"`
	AbsoluteMinutes int `json:"absolute_minutes,omitzero"`
}

// Decision returns the strictest decision of the demand.
func (d Demand) Decision() Decision {
	switch {
	case d.MFA:
		return RequireMFA
	case len(d.Actions) > 0:
		return RequireAction
	default:
		return Allow
	}
}

// And returns the combined requirements: methods that both accept, all actions, the
// shorter limits, and for equal claim names the first claim.
func (d Demand) And(other Demand) Demand {
	both := Demand{
		MFA: d.MFA || other.MFA, Methods: common(d.Methods, other.Methods), FreshSeconds: Shorter(d.FreshSeconds, other.FreshSeconds),
		Actions: slices.Clone(d.Actions), Claims: maps.Clone(other.Claims),
		IdleMinutes: Shorter(d.IdleMinutes, other.IdleMinutes), AbsoluteMinutes: Shorter(d.AbsoluteMinutes, other.AbsoluteMinutes),
	}
	for _, action := range other.Actions {
		if !slices.Contains(both.Actions, action) {
			both.Actions = append(both.Actions, action)
		}
	}
	if both.Claims == nil {
		both.Claims = map[string]json.RawMessage{}
	}
	maps.Copy(both.Claims, d.Claims)
	return both
}

// Impossible reports whether a second factor is required and no method is accepted.
func (d Demand) Impossible() bool { return d.MFA && d.Methods != nil && len(d.Methods) == 0 }

// Takes reports whether a second factor of a method is one that is asked for.
func (d Demand) Takes(method string) bool {
	return d.Methods == nil || slices.Contains(d.Methods, method)
}

// common returns the methods of both lists, of which nil holds all.
func common(a, b []string) []string {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return slices.DeleteFunc(slices.Clone(a), func(m string) bool { return !slices.Contains(b, m) })
}

// Shorter returns the smaller of two bounds, of which 0 is none.
func Shorter(a, b int) int {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// Step is one node that ran.
type Step struct {
	Node    string        `json:"node"`
	Outcome string        `json:"outcome"`
	Detail  string        `json:"detail,omitzero"`
	Took    time.Duration `json:"took"`
}

// Outcome is the result of executing a graph.
type Outcome struct {
	Denied bool
	// Reason is the reason for a denial, and Node the node that denied.
	Reason, Node string
	Demand       Demand
	Trace        []Step
}

// Decision returns the decision of the outcome.
func (o Outcome) Decision() Decision {
	if o.Denied {
		return Deny
	}
	return o.Demand.Decision()
}

// Plain reports whether the outcome allows without additional requirements or claims.
func (o Outcome) Plain() bool {
	d := o.Demand
	return o.Decision() == Allow && len(d.Claims) == 0 && d.IdleMinutes == 0 && d.AbsoluteMinutes == 0
}

// Path lists the nodes that ran.
func (o Outcome) Path() []string {
	path := make([]string, 0, len(o.Trace))
	for _, s := range o.Trace {
		path = append(path, s.Node)
	}
	return path
}

// Blocked returns the error of a denial.
func (o Outcome) Blocked(name Name) *fault.Error {
	refusal := fault.New(fault.FlowBlocked, "the flow "+string(name)+" denied the request: "+o.Reason)
	refusal.Flow = &fault.Flow{Name: string(name), Node: o.Node, Reason: o.Reason}
	return refusal
}
