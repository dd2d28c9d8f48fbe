package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/user"
)

// LoginMethods manages all login methods of a person, inside a unit of work.
type LoginMethods interface {
	// Left reports whether the person still has a password, an identity linked at one
	// of these providers, or a passkey that signs in by itself. Other passkeys are
	// second factors only, and disabled providers are excluded. It blocks concurrent
	// calls for the user, so that the last two methods cannot be removed at the same
	// time.
	Left(ctx context.Context, owner user.ID, providers []string) (bool, error)
	// Void removes all credentials of a person except password, sessions and API keys:
	// passkeys, second factors, linked identities, remembered devices and registered
	// keys. The personal workspace loses its other members, its policies, templates and
	// branding; its apps are disabled and lose their secrets, keys and tokens. It
	// records no events; the event of its cause suffices.
	Void(ctx context.Context, owner user.ID, now time.Time) error
}
