package crypt

import (
	"context"

	"gatehouse.internal/domain/secret"
)

// Passwords hashes and verifies passwords. Its work is bounded by the cores:
// calls beyond wait, until their context ends.
type Passwords interface {
	// Hash returns an Argon2id hash in PHC string form.
	Hash(ctx context.Context, plain secret.String) (string, error)
	// Verify compares a password with a stored hash of any known format, and answers
	// when the slowest of these forms (password.Form) would have been compared too. With
	// an empty hash it does the work of a comparison and answers no match, so
	// that an account without a password takes the same time.
	Verify(ctx context.Context, hash string, plain secret.String, forms ...string) (PasswordVerdict, error)
	// Recognize fails with a fault of VALIDATION_ERROR when a hash to import has
	// an unknown format, or costs outside the bounds that are safe to verify.
	Recognize(hash string) error
}

// PasswordVerdict is the answer of a verification.
type PasswordVerdict struct {
	Match bool
	// Upgraded is a new hash to store, when the one verified was made with other
	// settings than today's; else empty.
	Upgraded string
}

// PasswordStrength judges how guessable a password is.
type PasswordStrength interface {
	// Estimate scores a password; the hints are the owner's e-mail, name and
	// the like, which make a poor password.
	Estimate(plain secret.String, hints ...string) Strength
}

// CommonPasswords knows which passwords are common.
type CommonPasswords interface {
	// Common reports whether a password stands in the lists of common ones.
	Common(plain secret.String) bool
}

// Strength is how guessable a password is.
type Strength struct {
	// Score runs from 0 (guessed at once) to 4 (very strong).
	Score int
	// Common reports whether it stands in the lists of common passwords.
	Common bool
}
