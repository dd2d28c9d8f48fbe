package signin

import (
	"context"

	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/user"
)

// Identities stores linked accounts, inside a unit of work.
type Identities interface {
	// ByUpstream returns a linked account. It fails with identity.ErrNotFound.
	ByUpstream(ctx context.Context, upstream identity.Upstream) (*identity.Identity, error)
	// ByUser returns the linked accounts of a user, oldest first.
	ByUser(ctx context.Context, owner user.ID) ([]*identity.Identity, error)
	// Save stores a linked account. A user has at most one for each provider, and an
	// upstream account is linked to one user.
	Save(ctx context.Context, i *identity.Identity) error
	Delete(ctx context.Context, i *identity.Identity) error
}

// IdentityDirectory reads linked accounts, outside any transaction.
type IdentityDirectory interface {
	// OfUser returns the linked accounts of a user, oldest first.
	OfUser(ctx context.Context, owner user.ID) ([]identity.Snapshot, error)
}
