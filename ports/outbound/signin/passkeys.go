package signin

import (
	"context"

	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
)

// Passkeys stores passkeys, inside a unit of work.
type Passkeys interface {
	// ByID returns a passkey. It fails with passkey.ErrNotFound.
	ByID(ctx context.Context, id passkey.ID) (*passkey.Passkey, error)
	// ByCredential returns a passkey by its credential ID, in base64url. It fails with
	// passkey.ErrNotFound.
	ByCredential(ctx context.Context, credentialID string) (*passkey.Passkey, error)
	// Held returns the passkeys of a user, newest first. It blocks concurrent calls for
	// the user until the transaction ends, so that the maximum number is not exceeded.
	Held(ctx context.Context, owner user.ID) ([]passkey.Snapshot, error)
	// Save stores a passkey. It fails with passkey.ErrTaken if another one has the
	// credential ID.
	Save(ctx context.Context, p *passkey.Passkey) error
	// Remove deletes a revoked passkey.
	Remove(ctx context.Context, p *passkey.Passkey) error
}

// PasskeyDirectory reads passkeys, outside any unit of work.
type PasskeyDirectory interface {
	// List returns the passkeys of a user, newest first.
	List(ctx context.Context, owner user.ID) ([]passkey.Snapshot, error)
	// ByCredential returns a passkey by its credential ID, in base64url. It fails with
	// passkey.ErrNotFound.
	ByCredential(ctx context.Context, credentialID string) (*passkey.Passkey, error)
}
