package ops

import (
	"context"
	"errors"

	"gatehouse.internal/domain/signingkey"
)

// ErrSigningKey says that a signing key cannot be opened. It stays as it is.
var ErrSigningKey = errors.New("a signing key in the store cannot be opened: is JWT_SECRET the one that it was made with?")

// KeyRing stores the signing keys, sealed, inside a unit of work. Each change
// moves the instance revision.
type KeyRing interface {
	// Load returns nil when there is no ring yet. It fails with ErrSigningKey.
	Load(ctx context.Context) (*signingkey.Ring, error)
	Save(ctx context.Context, ring *signingkey.Ring) error
}
