package mfa

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Kinds of events of second factors.
const (
	KindChallenged    event.Kind = "mfa.challenged"
	KindEnrolled      event.Kind = "mfa.enrolled"
	KindRemoved       event.Kind = "mfa.removed"
	KindReset         event.Kind = "mfa.reset"
	KindRegenerated   event.Kind = "mfa.recovery_codes_regenerated"
	KindBypassCreated event.Kind = "mfa.bypass_created" //nolint:gosec // the name of a kind
	KindCodeSent      event.Kind = "mfa.code_sent"
	KindSucceeded     event.Kind = "mfa.succeeded"
	KindFailed        event.Kind = "mfa.failed"
)

// Challenged is the content of mfa.challenged.
type Challenged struct {
	UserID  user.ID  `json:"user_id" doc:"Who is signing in."`
	Methods []Method `json:"methods" doc:"The ways in which the challenge may be answered."`
}

// Enrolled is the content of mfa.enrolled.
type Enrolled struct {
	UserID   user.ID `json:"user_id" doc:"Whose factor it is."`
	FactorID ID      `json:"factor_id" doc:"The new factor."`
	Method   Method  `json:"method" doc:"Of which method it is."`
}

// Removed is the content of mfa.removed.
type Removed struct {
	UserID   user.ID `json:"user_id" doc:"Whose factor it was."`
	FactorID ID      `json:"factor_id" doc:"The factor that is gone."`
	Method   Method  `json:"method" doc:"Of which method it was."`
}

// WasReset is the content of mfa.reset.
type WasReset struct {
	UserID  user.ID `json:"user_id" doc:"Whose factors they were."`
	Removed int     `json:"removed" doc:"How many factors are gone."`
	Reason  string  `json:"reason,omitzero" doc:"Why, in the words of who did it."`
}

// Regenerated is the content of mfa.recovery_codes_regenerated.
type Regenerated struct {
	UserID user.ID `json:"user_id" doc:"Whose recovery codes were replaced."`
}

// BypassCreated is the content of mfa.bypass_created.
type BypassCreated struct {
	UserID    user.ID   `json:"user_id" doc:"Who may sign in once by a bypass code."`
	ExpiresAt time.Time `json:"expires_at" doc:"Until when."`
}

// CodeSent is the content of mfa.code_sent.
type CodeSent struct {
	UserID user.ID `json:"user_id" doc:"To whom a code is being mailed."`
}

// Succeeded is the content of mfa.succeeded.
type Succeeded struct {
	UserID user.ID `json:"user_id" doc:"Who gave the second factor."`
	Method Method  `json:"method" doc:"Which one."`
}

// Failed is the content of mfa.failed.
type Failed struct {
	UserID      user.ID   `json:"user_id" doc:"Whose second factor was tried."`
	Method      Method    `json:"method" doc:"Which one."`
	LockedUntil time.Time `json:"locked_until,omitzero" doc:"Until when no code is looked at; absent: too few were wrong."`
}

func (Challenged) Kind() event.Kind    { return KindChallenged }
func (Enrolled) Kind() event.Kind      { return KindEnrolled }
func (Removed) Kind() event.Kind       { return KindRemoved }
func (WasReset) Kind() event.Kind      { return KindReset }
func (Regenerated) Kind() event.Kind   { return KindRegenerated }
func (BypassCreated) Kind() event.Kind { return KindBypassCreated }
func (CodeSent) Kind() event.Kind      { return KindCodeSent }
func (Succeeded) Kind() event.Kind     { return KindSucceeded }
func (Failed) Kind() event.Kind        { return KindFailed }

func (e Failed) Concerns() event.Concern {
	return event.Concern{UserID: e.UserID.String(), Failed: true}
}

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
		factor = ID("fac_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	until := time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)
	return []event.Definition{
		{Summary: "A login waits for a second factor.", Example: Challenged{person, []Method{TOTP, RecoveryCode}}},
		{Summary: "Somebody enrolled a second factor.", Example: Enrolled{person, factor, TOTP}},
		{Summary: "A second factor was removed.", Example: Removed{person, factor, TOTP}},
		{Summary: "An administrator removed all second factors of a person.", Example: WasReset{person, 2, "lost the phone"}},
		{Summary: "Somebody replaced their recovery codes.", Example: Regenerated{person}},
		{Summary: "An administrator made a code that stands in once for a second factor.", Example: BypassCreated{person, until}},
		{Summary: "The code of a second factor is being mailed.", Example: CodeSent{person}},
		{Summary: "A second factor was given.", Example: Succeeded{person, TOTP}},
		{Summary: "A second factor was refused.", Example: Failed{person, TOTP, until}},
	}
}
