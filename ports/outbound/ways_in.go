package outbound

import (
	"context"

	"gatehouse.internal/domain/user"
)

// WaysIn is all by which somebody can log in, inside a unit of work.
type WaysIn interface {
	// Left tells whether a password, an identity linked at one of these providers, or a
	// passkey that verifies its person is left: another passkey is a second factor alone,
	// and a provider that is switched off lets nobody in. It holds off every other unit
	// that asks the same of the user, so that two of them cannot take the last two away.
	Left(ctx context.Context, owner user.ID, providers []string) (bool, error)
	// Void removes what somebody can log in or act by but the password: passkeys,
	// linked identities, remembered devices and API keys. The apps of the personal
	// workspace are disabled, its policies, templates and look go. Second factors stay.
	// It records no event: what makes it necessary is told by an event of its own.
	Void(ctx context.Context, owner user.ID) error
}
