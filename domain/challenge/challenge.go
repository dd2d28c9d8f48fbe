// Package challenge holds what is waited for: the answer to a ceremony that this
// service began, or somebody who comes with a link or code that was mailed. Each
// works once, for what it was made for and for nothing else, until its end
// (contract sections 4 to 6).
package challenge

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

// ErrGone is the one answer to what was never made, has been used, or has ended.
var ErrGone = fault.New(fault.Auth, "invalid_grant: it is not valid, was used before, or has expired: begin again")

// Kind is what a challenge is for. One kind is never taken for another.
type Kind string

// The kinds of challenges.
const (
	// SecondFactor is a login that waits for a second factor.
	SecondFactor Kind = "second_factor"
	// FactorCode is the enrolment of e-mail codes as a second factor.
	FactorCode Kind = "factor_code"
	// PasskeyRegistration, PasskeyLogin and PasskeySignup are ceremonies of WebAuthn.
	PasskeyRegistration Kind = "passkey_registration"
	PasskeyLogin        Kind = "passkey_login"
	PasskeySignup       Kind = "passkey_signup"
	// PasswordReset, EmailVerification, EmailChange and LoginLink are links.
	PasswordReset     Kind = "password_reset"
	EmailVerification Kind = "email_verification"
	EmailChange       Kind = "email_change"
	LoginLink         Kind = "login_link"
	// LoginCode is a login that waits for a mailed code.
	LoginCode Kind = "login_code"
	// FactorEnrolment is a link to enrol a second factor.
	FactorEnrolment Kind = "factor_enrolment"
	// SocialState is a login at an upstream provider, SocialCode its outcome.
	SocialState Kind = "social_state"
	SocialCode  Kind = "social_code"
	// Invitation is a link to join a workspace.
	Invitation Kind = "invitation"
	// Authorization is a request of an OAuth client that waits to be opened or answered.
	Authorization Kind = "authorization"
)

// MaxFailures is how many wrong codes end a challenge (contract section 5).
const MaxFailures = 5

// Challenge is one thing that is waited for.
type Challenge struct {
	// Digest is that of the handle which the client holds.
	Digest string
	Kind   Kind
	// UserID is whom it is about; empty while that is not known.
	UserID user.ID
	// Content is what its maker wants back, in JSON; it is sealed in the store.
	Content []byte
	// Code is the keyed hash of the mailed code that answers it, if one was mailed,
	// and CodeExpiresAt its end.
	Code          string
	CodeExpiresAt time.Time
	// Failures counts the wrong answers.
	Failures             int
	CreatedAt, ExpiresAt time.Time
}

// handleSize is how many random bytes a handle has.
const handleSize = 32

// Source returns random bytes.
type Source interface{ Bytes(n int) []byte }

// NewHandle draws what a client will hold, and its digest.
func NewHandle(random Source) (secret.Shown, string) {
	text := base64.RawURLEncoding.EncodeToString(random.Bytes(handleSize))
	return secret.Shown(text), Digest(text)
}

// Digest is under what the store finds a handle: its SHA-256, in hexadecimal.
func Digest(handle string) string {
	sum := sha256.Sum256([]byte(handle))
	return hex.EncodeToString(sum[:])
}
