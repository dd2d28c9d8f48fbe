package limit

import "gatehouse.internal/domain/event"

// Kinds of events of rate limits.
const (
	KindSet   event.Kind = "rate_limit.set"
	KindReset event.Kind = "rate_limit.reset"
)

// WasSet is the content of rate_limit.set.
type WasSet struct {
	Command       string `json:"command" doc:"Name of the command, or * for all commands together."`
	Key           Key    `json:"key" doc:"Subject the limit counts by." jsonschema:"enum=ip,enum=token,enum=email,enum=user,enum=all"`
	Limit         int    `json:"limit" doc:"Maximum number of calls in any window."`
	WindowSeconds int    `json:"window_seconds" doc:"Length of the window. Seconds."`
}

// WasReset is the content of rate_limit.reset, raised for each limit that was reset. It
// does not contain whose counter was cleared, which may be a person's address.
type WasReset struct {
	Command string `json:"command,omitzero" doc:"Name of the command, or * for the limits for all commands. Not set if every limit was reset."`
	What    string `json:"what" doc:"Whether limits were restored to their defaults or the counters of a subject were cleared." jsonschema:"enum=limits,enum=counters"`
	Key     Key    `json:"key,omitzero" doc:"Subject the restored limit counts by. Not set if no limit had been changed or counters were cleared." jsonschema:"enum=ip,enum=token,enum=email,enum=user,enum=all"`
}

// What a reset can be of.
const (
	ResetLimits   = "limits"
	ResetCounters = "counters"
)

func (WasSet) Kind() event.Kind   { return KindSet }
func (WasReset) Kind() event.Kind { return KindReset }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{
		{Summary: "A rate limit was set.", Example: WasSet{"AUTH.LOGIN", IP, 20, 60}},
		{Summary: "Rate limits were restored to their defaults, or a subject's counters were cleared.", Example: WasReset{"AUTH.LOGIN", ResetLimits, IP}},
	}
}
