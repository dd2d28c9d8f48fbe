package login

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
)

// Arrival is the account at an upstream provider that a social login came with. It is stored,
// as JSON, with a challenge; nothing of it is stored with the account before the login has
// succeeded.
type Arrival struct {
	Provider social.Provider `json:"provider"`
	// ID is the identifier of the account at the provider.
	ID       string        `json:"id"`
	Email    email.Address `json:"email,omitzero"`
	Verified bool          `json:"verified,omitzero"`
	// Access and Refresh are tokens for the provider's own API.
	Access    secret.Shown `json:"access"`
	Refresh   secret.Shown `json:"refresh,omitzero"`
	ExpiresAt time.Time    `json:"expires_at,omitzero"`
	Scopes    []string     `json:"scopes,omitzero"`
}

// Arrivals links upstream accounts.
type Arrivals interface {
	// Link stores the upstream account with the account that its owner has signed in to, and
	// links the two if they are not linked yet and may be. It returns the reason why they may
	// not, or "".
	Link(ctx context.Context, tx Repos, owner user.ID, from Arrival) (string, error)
}

// arrival links the upstream account of a social login. The stage session stores the account as
// it was read before, so a concurrent change of its address leads to a conflict.
func (s *Service) arrival(ctx context.Context, tx Repos, e *entry) error {
	if e.Arrival == nil {
		return nil
	}
	reason, err := s.Arrivals.Link(ctx, tx, e.UserID, *e.Arrival)
	if err == nil && reason != "" {
		e.refuse(reason, nil)
	}
	return err
}
