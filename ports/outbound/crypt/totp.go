package crypt

import "gatehouse.internal/domain/secret"

// TOTP generates secrets and codes of authenticator apps (RFC 6238 with SHA-1, 6 digits
// and 30 seconds, which all apps support).
type TOTP interface {
	// Invite generates a secret for an account at an issuer.
	Invite(issuer, account string) (TOTPInvitation, error)
	// Code returns the code at a time step; "" for a malformed secret.
	Code(secret string, step int64) string
}

// TOTPInvitation is the data to enroll an app.
type TOTPInvitation struct {
	// Secret is base32-encoded.
	Secret secret.Shown
	// URL is the otpauth address of the secret, and PNG its QR code.
	URL secret.Shown
	PNG []byte
}
