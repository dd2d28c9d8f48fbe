package delegation

import (
	"context"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
)

// Logouts is the queue of clients that are to be told of a session that ended. They are queued
// by the unit of work that ends the session.
type Logouts interface {
	// Claim takes logouts that are due, at most so many: until a moment they are nobody else's.
	Claim(ctx context.Context, most int, now, until time.Time) ([]ClaimedLogout, error)
	// Forget removes a logout, unless somebody else has it by now.
	Forget(ctx context.Context, l oauth.Logout) error
	// Retry has a logout claimed again at a moment, unless somebody else has it by now.
	Retry(ctx context.Context, l oauth.Logout, at time.Time) error
}

// ClaimedLogout is a logout with its client, which is nil where it is gone.
type ClaimedLogout struct {
	oauth.Logout

	Client *app.Snapshot
}

// LogoutSender hands logout tokens to clients.
type LogoutSender interface {
	// Check fails for an address that nothing may be sent to, by its form alone.
	Check(address string) error
	// SendLogout posts a logout token, and fails unless the client answers that it took it
	// (OpenID Connect Back-Channel Logout 1.0 section 2.8). The error holds nothing of this
	// network.
	SendLogout(ctx context.Context, address string, token secret.String) error
}
