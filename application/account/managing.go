package account

import (
	"context"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// Manage is the permission to administer other people's accounts.
const Manage = "users:manage"

// ErrShielded keeps superadmins out of reach for everybody else, or users:manage
// would be a way to become one.
var ErrShielded = fault.New(fault.Denied, "only a superadmin may do this to a superadmin")

// Whose is the account that somebody asks about: their own, or with Manage anybody's.
// It fails with user.ErrNotFound when there is nobody, or they are not the caller's to
// see, and with access.ErrNotForApps when an app, which has no account, names none.
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

// Entrusted reads the account that an administrator is about to change in a way
// which lets whoever does it become that person. It fails like Managed, and with
// ErrShielded also for a superadmin's own API key: a key never becomes more than its
// scopes.
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
