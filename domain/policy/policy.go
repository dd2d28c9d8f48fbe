// Package policy holds the rules for passwords, sessions, lockout, second factors,
// risk and registration. The instance sets them; a workspace may only be stricter
// (spec/commands POLICY.SET).
package policy

import (
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

// Kind names a policy.
type Kind string

// The kinds of policies there are so far.
const (
	KindPassword Kind = "password"
	KindSession  Kind = "session"
	KindLockout  Kind = "lockout"
	KindMFA      Kind = "mfa"
	KindRisk     Kind = "risk"
	KindSignup   Kind = "signup"
)

// ErrLooser is returned for a workspace's policy that is weaker than the instance's.
var ErrLooser = fault.Invalid("/values", "a workspace policy can only be stricter than the instance policy")

// SchemaFragment describes the kind in a JSON Schema.
func (Kind) SchemaFragment() map[string]any {
	kinds := []any{string(KindPassword), string(KindSession), string(KindLockout), string(KindMFA), string(KindRisk), string(KindSignup)}
	return map[string]any{"type": "string", "enum": kinds}
}

// Set is all policies as they hold together.
type Set struct {
	Password Password
	Session  Session
	Lockout  Lockout
	MFA      MFA
	Risk     Risk
	Signup   Signup
}

// Defaults returns the policies of a fresh instance.
func Defaults() Set {
	return Set{
		Password: Password{MinLength: 8, MinScore: 0},
		Session:  Session{IdleMinutes: 30 * 24 * 60, AbsoluteMinutes: 90 * 24 * 60, ImpersonationMinutes: 60},
		Lockout:  Lockout{MaxFailures: 10, WindowMinutes: 15, DurationMinutes: 15},
		MFA:      MFA{RememberDays: 30},
		Risk:     defaultRisk(),
		Signup:   Signup{AllowedDomains: []email.Domain{}, BlockedDomains: []email.Domain{}},
	}
}

// Stricter joins the instance's set with a workspace's, taking the stricter of each
// value. Who may register is the instance's alone.
func (s Set) Stricter(o Set) Set {
	return Set{
		Password: Password{MinLength: max(s.Password.MinLength, o.Password.MinLength), MinScore: max(s.Password.MinScore, o.Password.MinScore)},
		Session:  s.Session.stricter(o.Session),
		Lockout: Lockout{
			MaxFailures:     min(s.Lockout.MaxFailures, o.Lockout.MaxFailures),
			WindowMinutes:   max(s.Lockout.WindowMinutes, o.Lockout.WindowMinutes),
			DurationMinutes: max(s.Lockout.DurationMinutes, o.Lockout.DurationMinutes),
		},
		MFA:    MFA{Required: s.MFA.Required || o.MFA.Required, RememberDays: min(s.MFA.RememberDays, o.MFA.RememberDays)},
		Risk:   s.Risk.stricter(o.Risk),
		Signup: s.Signup,
	}
}

// Password are the requirements of new passwords, in addition to being uncommon and not
// the owner's name.
type Password struct {
	MinLength int `json:"min_length" doc:"Minimum length of a new password. Characters. Defaults to 8." jsonschema:"minimum=8,maximum=128"`
	MinScore  int `json:"min_score" doc:"Minimum strength of a new password, from 0 (anything uncommon) to 4 (very strong). Defaults to 0." jsonschema:"minimum=0,maximum=4"`
}

// Session is how long a login lasts, and an impersonation. It holds for sessions that begin after it
// was set.
type Session struct {
	IdleMinutes     int `json:"idle_minutes" doc:"Time without a refresh after which a session expires. Minutes. Defaults to 43,200 (30 days)." jsonschema:"minimum=5,maximum=525600"`
	AbsoluteMinutes int `json:"absolute_minutes" doc:"Time after which a session expires, even if it is in use. Minutes. Defaults to 129,600 (90 days)." jsonschema:"minimum=5,maximum=525600"`

	ImpersonationMinutes int  `json:"impersonation_minutes" doc:"Maximum duration of an impersonation by support. Minutes. Use 0 to forbid impersonation. Defaults to 60." jsonschema:"minimum=0,maximum=60"`
	ImpersonationConsent bool `json:"impersonation_consent" doc:"Whether support can impersonate a user only while the user consents (IMPERSONATION.SET_CONSENT). Defaults to false."`
}

func (s Session) stricter(o Session) Session {
	return Session{
		IdleMinutes: min(s.IdleMinutes, o.IdleMinutes), AbsoluteMinutes: min(s.AbsoluteMinutes, o.AbsoluteMinutes),
		ImpersonationMinutes: min(s.ImpersonationMinutes, o.ImpersonationMinutes), ImpersonationConsent: s.ImpersonationConsent || o.ImpersonationConsent,
	}
}

// Idle returns the idle time as a duration.
func (s Session) Idle() time.Duration { return time.Duration(s.IdleMinutes) * time.Minute }

// Absolute returns the longest life as a duration.
func (s Session) Absolute() time.Duration { return time.Duration(s.AbsoluteMinutes) * time.Minute }

// Lockout is how many wrong passwords lock an account, and for how long.
type Lockout struct {
	MaxFailures     int `json:"max_failures" doc:"Number of wrong passwords within the window that locks an account. Defaults to 10." jsonschema:"minimum=3,maximum=100"`
	WindowMinutes   int `json:"window_minutes" doc:"Time that a wrong password counts. Minutes. Defaults to 15." jsonschema:"minimum=1,maximum=1440"`
	DurationMinutes int `json:"duration_minutes" doc:"Duration of a lock. Minutes. Defaults to 15." jsonschema:"minimum=1,maximum=1440"`
}

// Window is how long a failure counts.
func (l Lockout) Window() time.Duration { return time.Duration(l.WindowMinutes) * time.Minute }

// Duration is how long a lock lasts.
func (l Lockout) Duration() time.Duration { return time.Duration(l.DurationMinutes) * time.Minute }

// MFA determines who needs a second factor, and how long a remembered device replaces
// it.
type MFA struct {
	Required     bool `json:"required" doc:"Whether everyone needs a second factor. Users without one must enroll one at their next sign-in. Defaults to false."`
	RememberDays int  `json:"remember_days" doc:"Days that a remembered device needs no second factor. Use 0 to not remember devices. Defaults to 30." jsonschema:"minimum=0,maximum=365"`
}

// RememberedAfter returns when a device was remembered at the earliest that does without.
func (m MFA) RememberedAfter(now time.Time) time.Time { return now.AddDate(0, 0, -m.RememberDays) }

// EventUpdated is the kind of Updated.
const EventUpdated event.Kind = "policy.updated"

// Updated is the content of policy.updated.
type Updated struct {
	Policy Kind     `json:"policy" doc:"Kind of the policy."`
	OrgID  string   `json:"org_id,omitzero" doc:"ID of the workspace. Omitted for the instance."`
	Set    []string `json:"changed" doc:"Names of the values that were set or reset."`
}

// Kind is policy.updated.
func (Updated) Kind() event.Kind { return EventUpdated }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{{
		Summary: "A policy was updated.",
		Example: Updated{Policy: KindLockout, Set: []string{"max_failures"}},
	}}
}
