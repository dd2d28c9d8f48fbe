package outbound

import (
	"context"
	"time"

	"gatehouse.internal/domain/credential"
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

// Credentials stores passwords and failure counters, inside a unit of work.
type Credentials interface {
	// ByUser fails with user.ErrNotFound.
	ByUser(ctx context.Context, owner user.ID) (*credential.Credential, error)
	Save(ctx context.Context, c *credential.Credential) error
}

// Workspaces stores workspaces and memberships, inside a unit of work.
type Workspaces interface {
	// ByID fails with workspace.ErrNotFound.
	ByID(ctx context.Context, id workspace.ID) (*workspace.Workspace, error)
	Save(ctx context.Context, w *workspace.Workspace) error
	// Member fails with workspace.ErrNotMember.
	Member(ctx context.Context, org workspace.ID, person user.ID) (*workspace.Member, error)
	SaveMember(ctx context.Context, m *workspace.Member) error
	// OtherOwners counts the members besides one who hold the role owner for
	// good. It holds off every other transaction that asks the same of the
	// workspace until this one ends.
	OtherOwners(ctx context.Context, org workspace.ID, besides user.ID) (int, error)
}

// UserWorkspaces finds a user's workspaces, inside a unit of work.
type UserWorkspaces interface {
	// Personal gives the workspace that came with an account; empty when it has none.
	Personal(ctx context.Context, person user.ID) (workspace.ID, error)
	// Shared lists the workspaces of a user but the one that came with the
	// account; it may be the personal one of somebody else.
	Shared(ctx context.Context, person user.ID) ([]workspace.ID, error)
}

// Accounts looks accounts up for a login, outside any transaction.
type Accounts interface {
	// ForLogin finds an account by its folded address in one round trip; false
	// when there is none.
	ForLogin(ctx context.Context, address email.Address) (LoginAccount, bool, error)
	// Memberships lists the workspaces of a user, the personal one first.
	Memberships(ctx context.Context, person user.ID) ([]Membership, error)
}

// LoginAccount is what a login needs to know before it verifies the password.
type LoginAccount struct {
	UserID user.ID
	Hash   string
}

// Membership is one workspace of a user.
type Membership struct {
	Org      workspace.Snapshot
	Grants   []workspace.Grant
	JoinedAt time.Time
}

// UserDirectory lists and finds accounts for reading, outside any transaction.
type UserDirectory interface {
	// List gives the accounts that match, newest first.
	List(ctx context.Context, query UserQuery) ([]user.Snapshot, error)
	// Find gives one account by id, address or external id, whichever is set;
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
	Status       string
	Org          workspace.ID
	Only         user.ID
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
