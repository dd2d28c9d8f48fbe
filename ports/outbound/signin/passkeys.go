package signin

import (
	"context"

	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
)

// Passkeys stores passkeys, inside a unit of work.
type Passkeys interface {
	// ByID fails with passkey.ErrNotFound.
	ByID(ctx context.Context, id passkey.ID) (*passkey.Passkey, error)
	// ByCredential finds a passkey by what its authenticator calls it, in base64url; it
	// fails with passkey.ErrNotFound.
	ByCredential(ctx context.Context, credentialID string) (*passkey.Passkey, error)
	// Held returns those of a user, newest first. It holds off every other unit that asks
	// the same, so that two of them cannot register more than are allowed.
	Held(ctx context.Context, owner user.ID) ([]passkey.Snapshot, error)
	// Save fails with passkey.ErrTaken when another passkey has the credential's id.
	Save(ctx context.Context, p *passkey.Passkey) error
	// Remove deletes one that was revoked.
	Remove(ctx context.Context, p *passkey.Passkey) error
}

// PasskeyDirectory reads passkeys, outside any unit of work.
type PasskeyDirectory interface {
	// List returns those of a user, newest first.
	List(ctx context.Context, owner user.ID) ([]passkey.Snapshot, error)
	// ByCredential finds a passkey by what its authenticator calls it, in base64url; it
	// fails with passkey.ErrNotFound.
	ByCredential(ctx context.Context, credentialID string) (*passkey.Passkey, error)
}
