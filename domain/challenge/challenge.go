// Package challenge defines pending challenges: of ceremonies begun by this service,
// and of mailed links and codes. Each is valid once, for one purpose, until its expiry
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

// ErrGone is returned for a challenge that never existed, was used, or has expired,
// without distinction.
var ErrGone = fault.New(fault.Auth, "invalid_grant: the token or code is invalid, expired or already used; start again")

// Kind is the purpose of a challenge; kinds are not interchangeable.
type Kind string

// The kinds of challenges.
const (
	// SecondFactor is a login that waits for a second factor.
	SecondFactor Kind = "second_factor"
	// FactorCode is the enrollment of email codes as a second factor.
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
	// FactorEnrollment is a link to enroll a second factor.
	FactorEnrollment Kind = "factor_enrolment"
	// SocialState is a login at an upstream provider, SocialCode its outcome.
	SocialState Kind = "social_state"
	SocialCode  Kind = "social_code"
	// Terminal is a sign-in on the command line that a session has allowed.
	Terminal Kind = "terminal"
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
	// UserID is the account it concerns; empty while unknown.
	UserID user.ID
	// Content is JSON defined by the creator, encrypted in the store.
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

// NewHandle returns a random handle for the client, and its digest.
func NewHandle(random Source) (secret.Shown, string) {
	text := base64.RawURLEncoding.EncodeToString(random.Bytes(handleSize))
	return secret.Shown(text), Digest(text)
}

// Digest returns the key of a handle in the store: its SHA-256, in hexadecimal.
func Digest(handle string) string {
	sum := sha256.Sum256([]byte(handle))
	return hex.EncodeToString(sum[:])
}
