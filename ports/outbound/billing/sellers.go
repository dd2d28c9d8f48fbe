package billing

import (
	"context"

	"gatehouse.internal/domain/workspace"
)

// Sellers reports who sells for the instance itself.
type Sellers interface {
	// Superadmins reports whether a superadmin owns a workspace.
	Superadmins(ctx context.Context, org workspace.ID) (bool, error)
}
