package signin

import (
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
)

// Ceremonies implements Web Authentication ceremonies. It is stateless: the caller
// stores pending ceremonies and their expiry.
type Ceremonies interface {
	// Create starts the registration of a passkey.
	Create(c PasskeyCreation) (Ceremony, error)
	// Request starts a login with a passkey.
	Request(r PasskeyRequest) (Ceremony, error)
	// Created parses the response of a registration, and Asserted that of a login. They
	// fail with passkey.ErrMalformed.
	Created(credential []byte) (CreatedPasskey, error)
	Asserted(credential []byte) (PasskeyAssertion, error)
}

// Ceremony is a started ceremony.
type Ceremony struct {
	// Options are the options for the browser, as JSON (Web Authentication sections
	// 5.1.8, 5.1.9).
	Options []byte
	// Challenge is the challenge for the authenticator, in base64url.
	Challenge string
	// State is the argument of CreatedPasskey.Verify, as JSON.
	State []byte
}

// PasskeyCreation are the parameters of a registration.
type PasskeyCreation struct {
	// Owner is the user handle stored by the authenticator.
	Owner user.ID
	// Name and DisplayName identify the account to the person.
	Name, DisplayName string
	// Held are the person's passkeys; their authenticators are excluded.
	Held []passkey.Snapshot
	// Verified requires user verification, because the passkey is the only factor.
	Verified bool
}

// PasskeyRequest are the parameters of a login.
type PasskeyRequest struct {
	// Owner is the account whose passkeys Held may be used; empty for any discoverable
	// passkey.
	Owner user.ID
	Held  []passkey.Snapshot
	// Verified is like that of PasskeyCreation.
	Verified bool
}

// CreatedPasskey is the unverified response of a registration.
type CreatedPasskey interface {
	// Challenge returns the signed challenge, in base64url.
	Challenge() string
	// CredentialID returns the credential ID, in base64url.
	CredentialID() string
	// Verify verifies the response with the state of the ceremony. It fails with
	// passkey.ErrUnverified.
	Verify(state []byte, owner user.ID) (passkey.Record, error)
}

// PasskeyAssertion is the unverified response of a login.
type PasskeyAssertion interface {
	Challenge() string
	CredentialID() string
	// Owner returns the user handle; empty for none.
	Owner() user.ID
	// Verify verifies the response with its passkey, for the challenge it contains. It
	// fails with passkey.ErrRefused. It does not check user verification.
	Verify(by passkey.Snapshot) (passkey.Use, error)
}
