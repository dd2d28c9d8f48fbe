package machines

import (
	"context"
	"time"

	"gatehouse.internal/domain/dpop"
)

// DPoPBindings stores the keys that callers registered, inside a unit of work.
type DPoPBindings interface {
	// ByID fails with dpop.ErrNotFound.
	ByID(ctx context.Context, id dpop.ID) (*dpop.Binding, error)
	// Held returns the bindings of an owner that are live. Until the transaction ends
	// nobody else gets those of the same owner. It fails with dpop.ErrNoOwner.
	Held(ctx context.Context, owner dpop.Owner, now time.Time) ([]dpop.Snapshot, error)
	Save(ctx context.Context, b *dpop.Binding) error
}

// BindingDirectory reads bindings, outside any unit of work.
type BindingDirectory interface {
	// List returns the bindings that match, newest first.
	List(ctx context.Context, query BindingQuery) ([]dpop.Snapshot, error)
	// Live returns a binding of this owner that a token may be bound to now. It fails
	// with dpop.ErrNotFound when it is absent, somebody else's, expired or revoked.
	Live(ctx context.Context, id dpop.ID, owner dpop.Owner) (dpop.Snapshot, error)
}

// BindingQuery narrows a list of bindings to those of one owner.
type BindingQuery struct {
	Owner dpop.Owner
	// Before is the last id of the page before.
	Before dpop.ID
	Limit  int
}
