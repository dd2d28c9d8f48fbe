package signin

import (
	"context"

	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Entrant is an authenticated person, with everything that determines whether they are
// let in.
type Entrant struct {
	User *user.User
	// Member is their membership in the workspace to enter; nil if they are not a
	// member.
	Member *workspace.Member
	// Held are their roles there.
	Held role.MemberGrants
	// Entry are the entry requirements of the workspace; LastActive reports whether it
	// was the person's last active one.
	Entry      workspace.Entry
	LastActive bool
	Factors    *mfa.Factors
	// Passkey reports whether the account has a passkey, which is accepted as a second
	// factor too.
	Passkey bool
	// Client is what is known of the client.
	Client notice.Client
	// Joins reports whether members of some domain join a workspace automatically.
	Joins bool
}

// LoginTarget is a login in progress.
type LoginTarget struct {
	Person user.ID
	// Org is the workspace to enter. If it is empty, the last active one is entered if
	// possible, or else the personal one. Home forces the personal one.
	Org  workspace.ID
	Home bool
	// Client is the display name of the client (device.Describe).
	Client string
}

// Entrants reads people who log in, inside a unit of work.
type Entrants interface {
	// Entrant returns a person who logs in. It fails with user.ErrNotFound.
	Entrant(ctx context.Context, who LoginTarget) (Entrant, error)
	// Remember stores the last active workspace.
	Remember(ctx context.Context, person user.ID, org workspace.ID) error
}
