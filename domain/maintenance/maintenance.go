// Package maintenance holds the modes in which an instance answers less than everything,
// while its operators work on it (spec/commands SYSTEM.SET_MAINTENANCE).
//
// In ReadOnly mode commands that read work, those that sign people and machines in and
// out, and those that only take access away. In Closed mode superadmins alone are answered, who may still sign in. A mode ends by
// itself at its time. Work in the background goes on, and so do the published documents, such
// as the signing keys, and /health: only commands are refused.
package maintenance

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

// Mode says how much an instance answers.
type Mode string

// The modes, from the mildest on.
const (
	Off      Mode = "off"
	ReadOnly Mode = "read_only"
	Closed   Mode = "closed"
)

// Setting is the name under which the state is stored beside the settings. It is not one of
// setting.Values, so that SETTINGS.SET cannot change it.
const Setting = "maintenance"

// retry is when a refused caller may try again if no end is known.
const retry = time.Minute

// State is the maintenance of an instance. The zero value is none.
type State struct {
	Mode Mode `json:"mode" doc:"Maintenance mode. off: all commands work. read_only: commands that change something are rejected, except signing in and out and revoking access. closed: only superadmins are served." jsonschema:"enum=off,enum=read_only,enum=closed"`
	// Message is shown to callers that are refused.
	Message string `json:"message" doc:"Message shown to rejected callers. Empty if none was set."`
	// Until is when the mode ends by itself; nil: it is switched off by hand.
	Until *time.Time `json:"until" doc:"When the mode ends automatically. Null if it has no end."`
}

// InForce returns the mode at a moment.
func (s State) InForce(now time.Time) Mode {
	if s.Mode == "" || s.Until != nil && !now.Before(*s.Until) {
		return Off
	}
	return s.Mode
}

// Refusal returns the error for a call that the mode does not let through: RATE_LIMITED, by
// 503 over HTTP, with the time after which to try again.
func (s State) Refusal(now time.Time) *fault.Error {
	message := "the instance is closed for maintenance"
	if s.Mode == ReadOnly {
		message = "the instance is read-only during maintenance"
	}
	if s.Message != "" {
		message += ": " + s.Message
	}
	wait := retry
	if s.Until != nil {
		wait = s.Until.Sub(now)
	}
	return fault.Unavailable(message, wait)
}

// KindSet is the kind of Set.
const KindSet event.Kind = "system.maintenance_set"

// Set is the content of system.maintenance_set.
type Set struct {
	Mode    Mode       `json:"mode" doc:"New maintenance mode." jsonschema:"enum=off,enum=read_only,enum=closed"`
	Message string     `json:"message,omitzero" doc:"Message shown to rejected callers."`
	Until   *time.Time `json:"until,omitzero" doc:"When the mode ends automatically. Not set if it has no end."`
}

// Kind is system.maintenance_set.
func (Set) Kind() event.Kind { return KindSet }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	until := time.Date(2026, time.March, 4, 6, 0, 0, 0, time.UTC)
	return []event.Definition{
		{Summary: "The maintenance mode was changed.", Example: Set{Mode: ReadOnly, Message: "moving to another database", Until: &until}},
	}
}
