package outbound

import (
	"context"

	"gatehouse.internal/domain/user"
)

// WaysIn tells how somebody can still log in, inside a unit of work.
type WaysIn interface {
	// Left tells whether a password, a passkey or a linked identity is left. It holds
	// off every other unit that asks the same of the user, so that two of them cannot
	// take the last two away.
	Left(ctx context.Context, owner user.ID) (bool, error)
}
