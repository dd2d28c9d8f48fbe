package signin

import (
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
)

// Ceremonies begins and judges ceremonies of Web Authentication. It remembers none:
// whether one was begun, and how long it lasts, is not its matter.
type Ceremonies interface {
	// Create begins the registration of a passkey.
	Create(c PasskeyCreation) (Ceremony, error)
	// Request begins a login by one.
	Request(r PasskeyRequest) (Ceremony, error)
	// Created reads what a browser made, and Asserted what one signed. They fail with
	// passkey.ErrMalformed.
	Created(credential []byte) (CreatedPasskey, error)
	Asserted(credential []byte) (PasskeyAssertion, error)
}

// Ceremony is one that was begun.
type Ceremony struct {
	// Options are for the browser, in JSON (Web Authentication sections 5.1.8, 5.1.9).
	Options []byte
	// Challenge is what the authenticator will sign, in base64url.
	Challenge string
	// State is what Verify of a registration wants back, in JSON.
	State []byte
}

// PasskeyCreation is what a registration needs to know.
type PasskeyCreation struct {
	// Owner becomes the user handle that the authenticator keeps.
	Owner user.ID
	// Name and DisplayName are what a person tells their accounts apart by.
	Name, DisplayName string
	// Held are the passkeys that the person has: their authenticators make no other.
	Held []passkey.Snapshot
	// Verified asks for a person who is verified, because nothing else will be.
	Verified bool
}

// PasskeyRequest is what a login needs to know.
type PasskeyRequest struct {
	// Owner is whose passkeys may answer, Held; empty: anybody's that an authenticator
	// finds by itself.
	Owner user.ID
	Held  []passkey.Snapshot
	// Verified is that of PasskeyCreation.
	Verified bool
}

// CreatedPasskey is what a browser made; nothing of it is proved before Verify.
type CreatedPasskey interface {
	// Challenge returns what it says it signed, in base64url.
	Challenge() string
	// CredentialID returns what the authenticator calls it, in base64url.
	CredentialID() string
	// Verify judges it by the state of the ceremony; it fails with passkey.ErrUnverified.
	Verify(state []byte, owner user.ID) (passkey.Record, error)
}

// PasskeyAssertion is what a browser signed; nothing of it is proved before Verify.
type PasskeyAssertion interface {
	Challenge() string
	CredentialID() string
	// Owner returns whose passkey it says it is; empty when it says nothing.
	Owner() user.ID
	// Verify judges it by the passkey that it names, for whatever challenge it says it
	// signed; it fails with passkey.ErrRefused. Whether the person had to be verified is
	// the caller's to judge.
	Verify(by passkey.Snapshot) (passkey.Use, error)
}
