package crypt

import (
	"context"

	"gatehouse.internal/domain/secret"
)

// Passwords hashes and verifies passwords. Concurrency is limited by the number of
// cores; further calls wait until their context ends.
type Passwords interface {
	// Hash returns an Argon2id hash in PHC string form.
	Hash(ctx context.Context, plain secret.String) (string, error)
	// Verify compares a password, as it was typed, with a stored hash of any supported format,
	// in the time of the slowest of these forms (password.Form). With an empty hash it takes
	// the same time and reports no match, so that timing does not reveal whether an
	// account has a password.
	Verify(ctx context.Context, hash string, plain secret.String, forms ...string) (PasswordVerdict, error)
	// Import returns a hash made elsewhere as it is to be stored. It fails with
	// VALIDATION_ERROR if the hash has an unknown format, or cost parameters outside of
	// safe bounds.
	Import(hash string) (string, error)
}

// PasswordVerdict is the result of a verification.
type PasswordVerdict struct {
	Match bool
	// Upgraded is a new hash to store if the verified one has outdated parameters; else
	// empty.
	Upgraded string
}

// PasswordStrength estimates the strength of passwords.
type PasswordStrength interface {
	// Estimate returns the strength of a password. Hints are the owner's email
	// address, name and the like, which make a password weak.
	Estimate(plain secret.String, hints ...string) Strength
}

// CommonPasswords contains lists of common passwords.
type CommonPasswords interface {
	// Common reports whether a password is on a list.
	Common(plain secret.String) bool
}

// Strength is the estimated strength of a password.
type Strength struct {
	// Score is from 0 (guessed at once) to 4 (very strong).
	Score int
	// Common reports whether the password is on a list of common ones.
	Common bool
}
