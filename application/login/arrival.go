package login

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
)

// Arrival is somebody who comes from an upstream provider, with what it told. It
// waits, in JSON, with a login that waits: nothing of it is stored with the account
// before its person is let in.
type Arrival struct {
	Provider social.Provider `json:"provider"`
	// ID is the provider's identifier of the account there.
	ID       string        `json:"id"`
	Email    email.Address `json:"email,omitzero"`
	Verified bool          `json:"verified,omitzero"`
	// Access and Refresh are tokens for the provider's own API.
	Access    secret.Shown `json:"access"`
	Refresh   secret.Shown `json:"refresh,omitzero"`
	ExpiresAt time.Time    `json:"expires_at,omitzero"`
	Scopes    []string     `json:"scopes,omitzero"`
}

// Arrivals knows the rules of linking.
type Arrivals interface {
	// Settle stores what the provider told with the account that its person is let
	// into, and links the two where they are not yet, as far as that may be at this
	// moment. It tells why it may not, or "".
	Settle(ctx context.Context, tx Repos, owner user.ID, from Arrival) (string, error)
}

// settle settles the arrival of somebody who came from a provider. It tells why they
// are refused, or "".
func (s *Service) settle(ctx context.Context, tx Repos, p Proof) (string, error) {
	if p.Arrival == nil {
		return "", nil
	}
	reason, err := s.Arrivals.Settle(ctx, tx, p.UserID, *p.Arrival)
	if err != nil || reason == "" {
		return "", err
	}
	return reason, s.Refuse(ctx, tx, p.UserID, reason)
}
