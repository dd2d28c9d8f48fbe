package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/user"
)

// KnownClients stores what people logged in with, inside a unit of work; Entrants
// reads it.
type KnownClients interface {
	// Forget leaves the clients of an account that were noted last, so many of them.
	Forget(ctx context.Context, owner user.ID, but int) error
	// Drop forgets one.
	Drop(ctx context.Context, owner user.ID, client string) error
	// Note notes a login.
	Note(ctx context.Context, owner user.ID, client string, now time.Time) error
}
