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
	// ByID fails with user.ErrNotFound.
	ByID(ctx context.Context, id user.ID) (*user.User, error)
	// ByEmail compares folded addresses; it fails with user.ErrNotFound.
	ByEmail(ctx context.Context, address email.Address) (*user.User, error)
	// ByExternalID fails with user.ErrNotFound.
	ByExternalID(ctx context.Context, externalID string) (*user.User, error)
	// Save fails with user.ErrEmailTaken or user.ErrExternalTaken.
	Save(ctx context.Context, u *user.User) error
	// Delete removes an account with its credential, sessions, memberships and
	// personal workspace.
	Delete(ctx context.Context, u *user.User) error
	// OtherSuperadmins counts the usable superadmins besides one. It holds off
	// every other transaction that asks the same until this one ends, so that
	// two of them cannot take each other away.
	OtherSuperadmins(ctx context.Context, besides user.ID, now time.Time) (int, error)
}

// UserDirectory lists and finds accounts for reading, outside any transaction.
type UserDirectory interface {
	// List returns the accounts that match, newest first.
	List(ctx context.Context, query UserQuery) ([]user.Snapshot, error)
	// Count counts the accounts that match, whatever the place in the list.
	Count(ctx context.Context, query UserQuery) (int, error)
	// Find returns one account by id, address or external id, whichever is set;
	// it fails with user.ErrNotFound.
	Find(ctx context.Context, by UserKey) (user.Snapshot, error)
}

// UserLocked asks for accounts that wrong passwords have locked; they are active
// or disabled too.
const UserLocked = "locked"

// UserQuery narrows a list of accounts; zero values do not narrow.
type UserQuery struct {
	// Text matches the beginning of the address or display name, without case;
	// with sealing on, whole values only.
	Text string
	// Status is that of the account as it may be used now (user.Active,
	// user.Disabled), or UserLocked.
	Status string
	Org    workspace.ID
	// Granted is a role that was granted to them in Org, whether it holds or has ended.
	Granted string
	Only    user.ID
	// Among are identifiers of accounts; only those are looked at.
	Among        []user.ID
	CreatedAfter time.Time
	// Before is the last id of the page before.
	Before user.ID
	Limit  int
	Now    time.Time
}

// UserKey names one account; exactly one field is set.
type UserKey struct {
	ID         user.ID
	Email      email.Address
	ExternalID string
}
