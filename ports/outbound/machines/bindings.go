package machines

import (
	"context"
	"time"

	"gatehouse.internal/domain/dpop"
)

// DPoPBindings stores the registered DPoP keys of callers, inside a unit of work.
type DPoPBindings interface {
	// ByID returns a binding. It fails with dpop.ErrNotFound.
	ByID(ctx context.Context, id dpop.ID) (*dpop.Binding, error)
	// Held returns the live bindings of an owner. It blocks concurrent calls for the
	// owner until the transaction ends. It fails with dpop.ErrNoOwner.
	Held(ctx context.Context, owner dpop.Owner, now time.Time) ([]dpop.Snapshot, error)
	Save(ctx context.Context, b *dpop.Binding) error
}

// BindingDirectory reads bindings, outside any unit of work.
type BindingDirectory interface {
	// List returns the bindings that match, newest first.
	List(ctx context.Context, query BindingQuery) ([]dpop.Snapshot, error)
	// Live returns a binding of an owner to which tokens can be bound. It fails with
	// dpop.ErrNotFound if the binding does not exist, belongs to another owner, has
	// expired or was revoked.
	Live(ctx context.Context, id dpop.ID, owner dpop.Owner) (dpop.Snapshot, error)
}

// BindingQuery narrows a list of bindings to those of one owner.
type BindingQuery struct {
	Owner dpop.Owner
	// Before is the last ID of the previous page.
	Before dpop.ID
	Limit  int
}
