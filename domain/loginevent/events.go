// Package loginevent defines the events of sign-ins and the guard against waves of failed
// ones (contract section 10, the spike guard).
package loginevent

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Kinds of events of logins.
const (
	KindSucceeded    event.Kind = "login.succeeded"
	KindFailed       event.Kind = "login.failed"
	KindSpikeStarted event.Kind = "risk.spike_started"
	KindSpikeEnded   event.Kind = "risk.spike_ended"
)

// Reasons of a failed login, for the event log. The client learns only NotAMember,
// NotAdmitted, FlowBlocked and ChangedPasskey, which follow a valid proof.
const (
	UnknownUser   = "unknown_user"
	WrongPassword = "wrong_password"
	AccountLocked = "locked"
	UserDisabled  = "disabled"
	NotAMember    = "not_a_member"
	NotAdmitted   = "not_admitted"
	WrongCode     = "wrong_code"
	WrongPasskey  = "wrong_passkey"
	ClonedPasskey = "cloned_passkey"
	// ChangedPasskey is passkey.ErrChanged.
	ChangedPasskey = "changed_passkey"
	Upstream       = "upstream"
	FlowBlocked    = "flow_blocked"
)

// Succeeded is the content of login.succeeded.
type Succeeded struct {
	UserID user.ID  `json:"user_id" doc:"User who signed in."`
	AMR    []string `json:"amr" doc:"Authentication methods that the person used (RFC 8176)."`
}

// Failed is the content of login.failed.
type Failed struct {
	UserID user.ID `json:"user_id,omitzero" doc:"User whose account was tried. Omitted if no such account exists."`
	Reason string  `json:"reason" doc:"Reason for the refusal." jsonschema:"enum=unknown_user,enum=wrong_password,enum=locked,enum=disabled,enum=not_a_member,enum=not_admitted,enum=wrong_code,enum=wrong_passkey,enum=cloned_passkey,enum=changed_passkey,enum=upstream,enum=flow_blocked"`
}

// SpikeStarted is the content of risk.spike_started.
type SpikeStarted struct {
	Failures int       `json:"failures" doc:"Failed sign-ins of the last minute, over all addresses."`
	Usual    int       `json:"usual" doc:"Failed sign-ins of a usual minute."`
	Until    time.Time `json:"until" doc:"Until when the guard stays active."`
}

// SpikeEnded is the content of risk.spike_ended.
type SpikeEnded struct {
	StartedAt time.Time `json:"started_at" doc:"When the wave of failed sign-ins started."`
}

func (Succeeded) Kind() event.Kind    { return KindSucceeded }
func (Failed) Kind() event.Kind       { return KindFailed }
func (SpikeStarted) Kind() event.Kind { return KindSpikeStarted }
func (SpikeEnded) Kind() event.Kind   { return KindSpikeEnded }

func (e Failed) Concerns() event.Concern {
	return event.Concern{UserID: e.UserID.String(), Failed: true}
}

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return []event.Definition{
		{Summary: "A user signed in.", Example: Succeeded{person, []string{"pwd"}}},
		{Summary: "A sign-in was refused.", Example: Failed{person, WrongPassword}},
		{Summary: "The spike guard was activated because far more sign-ins failed than usual.", Example: SpikeStarted{400, 10, at}},
		{Summary: "The spike guard was deactivated because failed sign-ins returned to normal.", Example: SpikeEnded{at}},
		{Summary: "A code or link to sign in with was requested.", Example: CodeRequested{"code"}},
	}
}
