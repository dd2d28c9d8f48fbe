package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/user"
)

// KnownClients stores the clients that people have used to log in, inside a unit of
// work; Entrants reads them.
type KnownClients interface {
	// Forget deletes all but the so many latest clients of an account.
	Forget(ctx context.Context, owner user.ID, but int) error
	// Drop deletes a client.
	Drop(ctx context.Context, owner user.ID, client string) error
	// Note records a login.
	Note(ctx context.Context, owner user.ID, client string, now time.Time) error
}
