package credential

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Kinds of events of resets.
const (
	KindResetRequested event.Kind = "password.reset_requested"
	KindReset          event.Kind = "password.reset"
)

// ResetRequested is the content of password.reset_requested. It contains no account,
// since looking one up would reveal by timing whether it exists.
type ResetRequested struct{}

// WasReset is the content of password.reset.
type WasReset struct {
	UserID user.ID `json:"user_id" doc:"User whose password was reset."`
}

func (ResetRequested) Kind() event.Kind { return KindResetRequested }
func (WasReset) Kind() event.Kind       { return KindReset }

// resetEvents describes these kinds for the catalog.
func resetEvents(example user.ID) []event.Definition {
	return []event.Definition{
		{Summary: "A password reset email was requested.", Example: ResetRequested{}},
		{Summary: "A user set their password with a link, which also lifted a lock caused by wrong passwords.", Example: WasReset{example}},
	}
}

// Reset stores a password chosen by a mailed link, and lifts a lock.
func (c *Credential) Reset(hash string, now time.Time) {
	c.replace(hash, now)
	c.Raise(WasReset{UserID: c.s.UserID})
}

// Void removes the password, the failure counters and the lock. It raises no event;
// that of the cause suffices.
func (c *Credential) Void(now time.Time) { c.replace("", now) }
