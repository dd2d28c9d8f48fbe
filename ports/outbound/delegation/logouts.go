package delegation

import (
	"context"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
)

// Logouts is the queue of clients to notify of ended sessions. Entries are added by the
// unit of work that ends the session.
type Logouts interface {
	// Claim returns at most so many due logouts, and claims them until a time.
	Claim(ctx context.Context, most int, now, until time.Time) ([]ClaimedLogout, error)
	// Forget removes a logout, unless it was claimed again.
	Forget(ctx context.Context, l oauth.Logout) error
	// Retry makes a logout due at a time, unless it was claimed again.
	Retry(ctx context.Context, l oauth.Logout, at time.Time) error
}

// ClaimedLogout is a logout with its client, which is nil if it no longer exists.
type ClaimedLogout struct {
	oauth.Logout

	Client *app.Snapshot
}

// LogoutSender sends logout tokens to clients.
type LogoutSender interface {
	// Check fails for an address that is literally forbidden; it resolves no names.
	Check(address string) error
	// SendLogout posts a logout token, and fails unless the client confirms it (OpenID
	// Connect Back-Channel Logout 1.0 section 2.8). The error contains no details of
	// the internal network.
	SendLogout(ctx context.Context, address string, token secret.String) error
}
