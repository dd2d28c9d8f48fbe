package limit

import (
	"time"

	"gatehouse.internal/domain/fault"
)

// Key is the subject that a rule counts by.
type Key string

// What a rule can count by.
const (
	// IP counts by client address, as Subject writes it.
	IP Key = "ip"
	// Token counts by the session, API key or app behind a token.
	Token Key = "token"
	// Email counts by the address that a call names.
	Email Key = "email"
	// User counts by the account.
	User Key = "user"
	// All counts the calls of all subjects together.
	All Key = "all"
)

// The bounds of a rule.
const (
	MinLimit  = 1
	MaxLimit  = 1_000_000_000
	MinWindow = time.Second
	MaxWindow = 24 * time.Hour
)

// Rule admits at most Limit calls in any Window, wherever it begins. A rule that
// does not validate is held at the nearest bounds.
type Rule struct {
	Limit  int
	Window time.Duration
}

// Validate returns a validation fault that names every field out of bounds.
func (r Rule) Validate() error {
	var fields []fault.Field
	if r.Limit < MinLimit || r.Limit > MaxLimit {
		fields = append(fields, fault.Field{Path: "/limit", Message: "must be from 1 to 1,000,000,000"})
	}
	if r.Window < MinWindow || r.Window > MaxWindow {
		fields = append(fields, fault.Field{Path: "/window", Message: "must be from 1 second to 24 hours"})
	}
	if fields == nil {
		return nil
	}
	err := fault.New(fault.Validation, "the rate limit is out of bounds")
	err.Fields = fields
	return err
}

// Expiry returns when a state that is written now no longer matters.
func (r Rule) Expiry(now time.Time) time.Time {
	return now.Add(r.bounded().Window)
}

// bounded holds the rule at its bounds.
func (r Rule) bounded() Rule {
	return Rule{
		Limit:  min(max(r.Limit, MinLimit), MaxLimit),
		Window: min(max(r.Window, MinWindow), MaxWindow),
	}
}

// window returns the length of the window in microseconds, rounded up.
func (r Rule) window() int64 {
	return int64((r.Window + time.Microsecond - 1) / time.Microsecond)
}

// grain returns the width in microseconds within which calls share a group.
func (r Rule) grain() int64 {
	if r.Limit <= exactLimit {
		return 1
	}
	return (r.window() + grains - 1) / grains
}

// Spec is a rule of a command with its subject.
type Spec struct {
	By   Key
	Rule Rule
}

// Spiked returns the rule during a spike of failed logins: for commands that opt in,
// half the limit by address.
func (s Spec) Spiked() Spec {
	if s.By == IP {
		s.Rule.Limit = max(MinLimit, s.Rule.Limit/2)
	}
	return s
}

// PerMinute admits n calls in any minute.
func PerMinute(by Key, n int) Spec {
	return Spec{By: by, Rule: Rule{Limit: n, Window: time.Minute}}
}

// PerHour admits n calls in any hour.
func PerHour(by Key, n int) Spec {
	return Spec{By: by, Rule: Rule{Limit: n, Window: time.Hour}}
}
