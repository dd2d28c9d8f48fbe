package outbound

import (
	"context"

	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Entrant is somebody whose identity was proved, with all that decides whether
// they are let in.
type Entrant struct {
	User *user.User
	// Member is their place in the workspace that is entered; nil: they have none.
	Member  *workspace.Member
	Factors *mfa.Factors
	// Passkey tells whether the account has one, which can answer a challenge too.
	Passkey bool
}

// Entrants reads those who want in, inside a unit of work.
type Entrants interface {
	// Entrant reads somebody who enters a workspace; where none is named, that which
	// came with the account. It fails with user.ErrNotFound.
	Entrant(ctx context.Context, person user.ID, org workspace.ID) (Entrant, error)
}
