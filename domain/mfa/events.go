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
	UserID  user.ID  `json:"user_id" doc:"User who is signing in."`
	Methods []Method `json:"methods" doc:"Methods that can answer the challenge."`
}

// Enrolled is the content of mfa.enrolled.
type Enrolled struct {
	UserID   user.ID `json:"user_id" doc:"Owner of the second factor."`
	FactorID ID      `json:"factor_id" doc:"ID of the new second factor."`
	Method   Method  `json:"method" doc:"Method of the second factor."`
}

// Removed is the content of mfa.removed.
type Removed struct {
	UserID   user.ID `json:"user_id" doc:"Owner of the second factor."`
	FactorID ID      `json:"factor_id" doc:"ID of the removed second factor."`
	Method   Method  `json:"method" doc:"Method of the second factor."`
}

// WasReset is the content of mfa.reset.
type WasReset struct {
	UserID  user.ID `json:"user_id" doc:"Owner of the second factors."`
	Removed int     `json:"removed" doc:"Number of second factors removed."`
	Reason  string  `json:"reason,omitzero" doc:"Reason given by the administrator."`
}

// Regenerated is the content of mfa.recovery_codes_regenerated.
type Regenerated struct {
	UserID user.ID `json:"user_id" doc:"Owner of the recovery codes."`
}

// BypassCreated is the content of mfa.bypass_created.
type BypassCreated struct {
	UserID    user.ID   `json:"user_id" doc:"User the bypass code is for."`
	ExpiresAt time.Time `json:"expires_at" doc:"When the bypass code expires."`
}

// CodeSent is the content of mfa.code_sent.
type CodeSent struct {
	UserID user.ID `json:"user_id" doc:"User the code is emailed to."`
}

// Succeeded is the content of mfa.succeeded.
type Succeeded struct {
	UserID user.ID `json:"user_id" doc:"User who provided the second factor."`
	Method Method  `json:"method" doc:"Method that was used."`
}

// Failed is the content of mfa.failed.
type Failed struct {
	UserID      user.ID   `json:"user_id" doc:"Owner of the second factor."`
	Method      Method    `json:"method" doc:"Method that was tried."`
	LockedUntil time.Time `json:"locked_until,omitzero" doc:"Until when no code is checked. Omitted if the account is not locked."`
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
		{Summary: "A sign-in was challenged for a second factor.", Example: Challenged{person, []Method{TOTP, RecoveryCode}}},
		{Summary: "A second factor was enrolled.", Example: Enrolled{person, factor, TOTP}},
		{Summary: "A second factor was removed.", Example: Removed{person, factor, TOTP}},
		{Summary: "All second factors of a user were removed by an administrator.", Example: WasReset{person, 2, "lost the phone"}},
		{Summary: "Recovery codes were regenerated.", Example: Regenerated{person}},
		{Summary: "A bypass code for a second factor was created by an administrator.", Example: BypassCreated{person, until}},
		{Summary: "A second-factor code was sent by email.", Example: CodeSent{person}},
		{Summary: "A second factor was verified.", Example: Succeeded{person, TOTP}},
		{Summary: "A second factor was refused.", Example: Failed{person, TOTP, until}},
	}
}
