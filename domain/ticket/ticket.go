// Package ticket defines the purposes of single-use links: mailed ones, and those
// handed over by an administrator.
package ticket

import (
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
)

// ErrFactorEnrolled is returned for a link to enroll a second factor if the person has
// one.
var ErrFactorEnrolled = fault.Invalid("/purpose", "the user has a second factor or passkey: remove it first (MFA.RESET or WEBAUTHN.REVOKE)")

// Purpose is the purpose of a link.
type Purpose string

// The purposes.
const (
	PasswordReset Purpose = "password_reset"
	EmailVerify   Purpose = "email_verify"
	EmailChange   Purpose = "email_change"
	Login         Purpose = "login"
	MFAEnroll     Purpose = "mfa_enroll"
)

// Kind returns the kind of challenge behind a link of a purpose.
func (p Purpose) Kind() challenge.Kind {
	switch p {
	case PasswordReset:
		return challenge.PasswordReset
	case EmailVerify:
		return challenge.EmailVerification
	case EmailChange:
		return challenge.EmailChange
	case Login:
		return challenge.LoginLink
	case MFAEnroll:
		return challenge.FactorEnrollment
	}
	return ""
}

// Purposes lists all.
func Purposes() []Purpose {
	return []Purpose{PasswordReset, EmailVerify, EmailChange, Login, MFAEnroll}
}

// Kinds returns the kinds of challenges behind links.
func Kinds() []challenge.Kind {
	var kinds []challenge.Kind
	for _, p := range Purposes() {
		kinds = append(kinds, p.Kind())
	}
	return kinds
}

// Of returns the purpose of a link by the kind of its challenge; "" if it is no link.
func Of(kind challenge.Kind) Purpose {
	for _, p := range Purposes() {
		if p.Kind() == kind {
			return p
		}
	}
	return ""
}

// KindCreated is the kind of Created.
const KindCreated event.Kind = "ticket.created"

// Created is the content of ticket.created.
type Created struct {
	UserID    user.ID   `json:"user_id" doc:"User whose account the link is for."`
	Purpose   Purpose   `json:"purpose" doc:"Purpose of the link."`
	ExpiresAt time.Time `json:"expires_at" doc:"When the link expires."`
}

// Kind is ticket.created.
func (Created) Kind() event.Kind { return KindCreated }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	return []event.Definition{{
		Summary: "A link to hand over was created by an administrator.",
		Example: Created{"usr_01jd7x9k2mf3q8v5t0abcdefgh", PasswordReset, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
	}}
}
