package people

import (
	"context"

	"gatehouse.internal/domain/user"
)

// Uses knows when credentials were used, inside a unit of work.
type Uses interface {
	// Forget forgets of an account's API keys, and of the keys and secrets in its personal
	// workspace, when they were used.
	Forget(ctx context.Context, owner user.ID) error
}
