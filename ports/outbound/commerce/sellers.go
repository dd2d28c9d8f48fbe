package commerce

import (
	"context"

	"gatehouse.internal/domain/workspace"
)

// Sellers reads facts about sellers and their return addresses.
type Sellers interface {
	// Superadmins reports whether a superadmin owns a workspace.
	Superadmins(ctx context.Context, org workspace.ID) (bool, error)
	// Registered reports whether an enabled app of a workspace has registered exactly this
	// address.
	Registered(ctx context.Context, org workspace.ID, address string) (bool, error)
}
