package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/user"
)

// WaysIn is all by which somebody can log in, inside a unit of work.
type WaysIn interface {
	// Left reports whether a password, an identity linked at one of these providers, or a
	// passkey that verifies its person is left: another passkey is a second factor alone,
	// and a provider that is switched off lets nobody in. It holds off every other unit
	// that asks the same of the user, so that two of them cannot take the last two away.
	Left(ctx context.Context, owner user.ID, providers []string) (bool, error)
	// Void removes what somebody can log in or act by but password, sessions and API
	// keys: passkeys, second factors, linked identities, remembered devices and
	// registered keys. The personal workspace loses its other members, its policies,
	// templates and look; its apps are disabled and lose secrets, keys and tokens. It
	// records no event: what makes it necessary is told by an event of its own.
	Void(ctx context.Context, owner user.ID, now time.Time) error
}
