package credential

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Kinds of events of credentials.
const (
	KindLocked   event.Kind = "user.locked"
	KindUnlocked event.Kind = "user.unlocked"
	KindChanged  event.Kind = "password.changed"
	KindSet      event.Kind = "password.set"
)

// Locked is the content of user.locked.
type Locked struct {
	UserID user.ID   `json:"user_id" doc:"User whose account was locked."`
	Until  time.Time `json:"until" doc:"When the lock ends by itself."`
}

// Unlocked is the content of user.unlocked.
type Unlocked struct {
	UserID user.ID `json:"user_id" doc:"User whose account was unlocked."`
}

// Changed is the content of password.changed.
type Changed struct {
	UserID user.ID `json:"user_id" doc:"User whose password changed."`
}

// WasSet is the content of password.set.
type WasSet struct {
	UserID user.ID `json:"user_id" doc:"User whose password was set."`
}

// Ends returns when the lock ends by itself.
func (e Locked) Ends() time.Time { return e.Until }

func (Locked) Kind() event.Kind   { return KindLocked }
func (Unlocked) Kind() event.Kind { return KindUnlocked }
func (Changed) Kind() event.Kind  { return KindChanged }
func (WasSet) Kind() event.Kind   { return KindSet }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const example = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	return append([]event.Definition{
		{Summary: "An account was locked for a while after too many wrong passwords.", Example: Locked{example, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
		{Summary: "The lock of an account was lifted by an administrator.", Example: Unlocked{example}},
		{Summary: "A user changed their password.", Example: Changed{example}},
		{Summary: "The password of a user was set by an administrator.", Example: WasSet{example}},
	}, resetEvents(example)...)
}
