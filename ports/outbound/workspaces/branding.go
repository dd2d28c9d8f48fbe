package workspaces

import (
	"context"

	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/workspace"
)

// Brandings stores what was set of looks, inside a unit of work. The empty workspace
// is the instance.
type Brandings interface {
	Looks
	// Get holds off every other transaction that changes the look until this one
	// ends. It fails with workspace.ErrNotFound.
	Get(ctx context.Context, org workspace.ID) (branding.Look, error)
	Set(ctx context.Context, org workspace.ID, look branding.Look) error
}

// Looks reads what holds, also outside any transaction.
type Looks interface {
	// InForce returns what a workspace set over what the instance set; of one that does
	// not exist, that of the instance. What neither set is empty.
	InForce(ctx context.Context, org workspace.ID) (branding.Look, error)
}
