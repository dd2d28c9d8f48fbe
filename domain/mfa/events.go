package mfa

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Kinds of events of second factors.
const (
	KindChallenged event.Kind = "mfa.challenged"
)

// Challenged is the content of mfa.challenged.
type Challenged struct {
	UserID  user.ID  `json:"user_id" doc:"Who is logging in."`
	Methods []Method `json:"methods" doc:"The ways in which the challenge may be answered."`
}

// Kind is mfa.challenged.
func (Challenged) Kind() event.Kind { return KindChallenged }

// Concerns files the event under the user.
func (e Challenged) Concerns() event.Concern { return event.Concern{UserID: e.UserID.String()} }

// Events describes the kinds of this package for the catalogue.
func Events() []event.Definition {
	const person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	return []event.Definition{
		{Summary: "A login waits for a second factor.", Example: Challenged{person, []Method{TOTP, RecoveryCode}}},
	}
}
