package ops

import (
	"context"
	"errors"

	"gatehouse.internal/domain/signingkey"
)

// ErrSigningKey is returned if a signing key cannot be decrypted. The key is left
// unchanged.
var ErrSigningKey = errors.New("a signing key in the database cannot be decrypted: check that JWT_SECRET is the one that it was created with")

// KeyRing stores the encrypted signing keys, inside a unit of work. Each change
// increments the instance revision.
type KeyRing interface {
	// Load returns the keys, or nil if there are none yet. It fails with ErrSigningKey.
	Load(ctx context.Context) (*signingkey.Ring, error)
	Save(ctx context.Context, ring *signingkey.Ring) error
}
