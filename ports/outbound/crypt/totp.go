package crypt

import "gatehouse.internal/domain/secret"

// TOTP makes what an authenticator app needs, and its codes (RFC 6238: SHA-1, 6
// digits, 30 seconds, which is what every app takes).
type TOTP interface {
	// Invite makes a secret for an account at an issuer.
	Invite(issuer, account string) (TOTPInvitation, error)
	// Code returns that of a secret at a time step, "" for a malformed secret.
	Code(secret string, step int64) string
}

// TOTPInvitation is what is shown to somebody who enrols an app.
type TOTPInvitation struct {
	// Secret is in base32.
	Secret secret.Shown
	// URL is the otpauth address that holds it, PNG that address as a QR code.
	URL secret.Shown
	PNG []byte
}
