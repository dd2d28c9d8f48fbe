package people

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Users stores accounts, inside a unit of work.
type Users interface {
	// ByID returns an account. It fails with user.ErrNotFound.
	ByID(ctx context.Context, id user.ID) (*user.User, error)
	// ByEmail returns an account by its folded address. It fails with user.ErrNotFound.
	ByEmail(ctx context.Context, address email.Address) (*user.User, error)
	// ByExternalID returns an account by its external ID. It fails with
	// user.ErrNotFound.
	ByExternalID(ctx context.Context, externalID string) (*user.User, error)
	// Save stores an account. It fails with user.ErrEmailTaken or
	// user.ErrExternalTaken.
	Save(ctx context.Context, u *user.User) error
	// Delete deletes an account with its credential, sessions, memberships and personal
	// workspace.
	Delete(ctx context.Context, u *user.User) error
	// OtherSuperadmins returns the number of usable superadmins except one. It blocks
	// concurrent calls until the transaction ends, so that two superadmins cannot
	// remove each other.
	OtherSuperadmins(ctx context.Context, except user.ID, now time.Time) (int, error)
}

// UserDirectory reads accounts, outside any transaction.
type UserDirectory interface {
	// List returns the accounts that match, newest first.
	List(ctx context.Context, query UserQuery) ([]user.Snapshot, error)
	// Count returns the number of accounts that match, regardless of Before; at most Limit,
	// unless that is 0.
	Count(ctx context.Context, query UserQuery) (int, error)
	// Indexed reports whether searches find all accounts: after an upgrade the index of
	// older ones has to be filled (SearchIndex).
	Indexed(ctx context.Context) (bool, error)
	// Find returns an account by ID, address or external ID. It fails with
	// user.ErrNotFound.
	Find(ctx context.Context, by UserKey) (user.Snapshot, error)
}

// SearchIndex is the index by which UserQuery.Text finds accounts. Saving an account
// updates it; what older releases stored has to be entered.
type SearchIndex interface {
	// Fill enters a batch of accounts that are missing, sorted by ID, and returns the last
	// one; "" if none is left.
	Fill(ctx context.Context, after user.ID, most int) (last user.ID, err error)
}

// UserLocked selects accounts locked by wrong passwords; they are also active or
// disabled.
const UserLocked = "locked"

// UserQuery narrows a list of accounts; zero values do not narrow.
type UserQuery struct {
	// Text is a part of the address or display name, case-insensitive, or a beginning if it
	// has less than three characters; with sealing on, words of the name, the local part or
	// domain of the address, or the whole of it.
	Text string
	// Status is the current status (user.Active, user.Disabled), or UserLocked.
	Status string
	Org    workspace.ID
	// Granted is a role granted in Org, active or ended.
	Granted string
	Only    user.ID
	// Among restricts the list to accounts with these IDs.
	Among        []user.ID
	CreatedAfter time.Time
	// Before is the last ID of the previous page.
	Before user.ID
	Limit  int
	Now    time.Time
}

// UserKey identifies an account; exactly one field is set.
type UserKey struct {
	ID         user.ID
	Email      email.Address
	ExternalID string
}
