package account

import (
	"context"
	"errors"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Manage is the permission to administer other people's accounts.
const Manage = "users:manage"

// ErrShielded keeps superadmins out of reach for everybody else, or users:manage
// would be a way to become one.
var ErrShielded = fault.New(fault.Denied, "only a superadmin can do this to another superadmin")

// Whose returns the requested account: the caller's own, or any with Manage. It fails
// with user.ErrNotFound if there is none, or the caller may not see it, and with
// access.ErrNotForApps if an app names none.
func Whose(ctx context.Context, users people.UserDirectory, caller access.Caller, named user.ID) (user.ID, error) {
	switch own := named == "" || named == caller.User; {
	case own && caller.Kind == access.App:
		return "", access.ErrNotForApps
	case own:
		return caller.User, nil
	case !caller.May(Manage):
		return "", user.ErrNotFound
	}
	found, err := users.Find(ctx, people.UserKey{ID: named})
	return found.ID, err
}

// Readers reads accounts and memberships.
type Readers struct {
	Users  people.UserDirectory
	Rights workspaces.Rights
}

// WhoseIn returns the requested account: the caller's own, or with a permission that of
// a member of the active workspace, or for a superadmin any. It fails like Whose.
func (r Readers) WhoseIn(ctx context.Context, caller access.Caller, named user.ID, permission string) (user.Snapshot, error) {
	switch own := named == "" || named == caller.User; {
	case own && caller.Kind == access.App:
		return user.Snapshot{}, access.ErrNotForApps
	case own:
		named = caller.User
	case !caller.May(permission):
		return user.Snapshot{}, user.ErrNotFound
	case !caller.Superadmin:
		if _, err := r.Rights.Holding(ctx, caller.Org, named); errors.Is(err, workspace.ErrNotMember) {
			return user.Snapshot{}, user.ErrNotFound
		} else if err != nil {
			return user.Snapshot{}, err
		}
	}
	return r.Users.Find(ctx, people.UserKey{ID: named})
}

// Managed reads the account that an administrator is about to change. It fails with
// user.ErrNotFound or ErrShielded.
func Managed(ctx context.Context, users people.Users, caller access.Caller, id user.ID) (*user.User, error) {
	u, err := users.ByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if u.Snapshot().Superadmin && !caller.Superadmin && id != caller.User {
		return nil, ErrShielded
	}
	return u, nil
}

// Entrusted reads an account for a change by which an administrator could become that
// person. It fails like Managed, and with ErrShielded also for a superadmin's own API
// key, because a key must not gain more than its scopes.
func Entrusted(ctx context.Context, users people.Users, caller access.Caller, id user.ID) (*user.User, error) {
	u, err := users.ByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if u.Snapshot().Superadmin && !caller.Superadmin {
		return nil, ErrShielded
	}
	return u, nil
}
