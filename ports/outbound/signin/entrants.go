package signin

import (
	"context"

	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Entrant is somebody whose identity was proved, with all that decides whether
// they are let in.
type Entrant struct {
	User *user.User
	// Member is their place in the workspace that is entered; nil: they have none.
	Member *workspace.Member
	// Held is what they hold there.
	Held role.Holding
	// Entry is how that workspace is entered; LastActive reports whether the person was
	// active there last.
	Entry      workspace.Entry
	LastActive bool
	Factors    *mfa.Factors
	// Passkey reports whether the account has one, which can answer a challenge too.
	Passkey bool
	// Client is what the account knows of the client that is used.
	Client notice.Client
	// Joins reports whether people of some domain of the instance join a workspace by their
	// addresses.
	Joins bool
}

// Entering is who wants in, and how.
type Entering struct {
	Person user.ID
	// Org is the workspace to enter; where none is named, that which the person was active
	// in last, if it can still be entered, else that which came with the account. Home is
	// always that.
	Org  workspace.ID
	Home bool
	// Client is what is used, by the name that a person knows it by (device.Describe).
	Client string
}

// Entrants reads those who want in, inside a unit of work.
type Entrants interface {
	// Entrant reads somebody who enters. It fails with user.ErrNotFound.
	Entrant(ctx context.Context, who Entering) (Entrant, error)
	// Remember notes the workspace that somebody is active in.
	Remember(ctx context.Context, person user.ID, org workspace.ID) error
}
