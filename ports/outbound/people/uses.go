package people

import (
	"context"

	"gatehouse.internal/domain/user"
)

// Uses stores when credentials were used, inside a unit of work.
type Uses interface {
	// Forget deletes the times of use of an account's API keys, and of the keys and
	// secrets in its personal workspace.
	Forget(ctx context.Context, owner user.ID) error
}
