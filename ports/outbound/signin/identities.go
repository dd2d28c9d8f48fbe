package signin

import (
	"context"

	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/user"
)

// Identities stores linked accounts, inside a unit of work.
type Identities interface {
	// ByUpstream fails with identity.ErrNotFound.
	ByUpstream(ctx context.Context, upstream identity.Upstream) (*identity.Identity, error)
	// ByUser returns all of an account, the first one linked first.
	ByUser(ctx context.Context, owner user.ID) ([]*identity.Identity, error)
	// Save stores one; an account has at most one of each provider, and an upstream
	// account is linked to one account.
	Save(ctx context.Context, i *identity.Identity) error
	Delete(ctx context.Context, i *identity.Identity) error
}

// IdentityDirectory reads linked accounts, outside any transaction.
type IdentityDirectory interface {
	// OfUser returns all of an account, the first one linked first.
	OfUser(ctx context.Context, owner user.ID) ([]identity.Snapshot, error)
}
