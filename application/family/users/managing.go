package users

import (
	"context"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// manage is the permission to administer other people's accounts.
const manage = "users:manage"

var (
	errShielded = fault.New(fault.Denied, "only a superadmin may do this to a superadmin")
	errOneself  = fault.Invalid("/user_id", "must not be yourself")
)

// managed reads the account that an administrator is about to change. Superadmins
// are out of reach for everybody else, or users:manage would be a way to become one.
func managed(ctx context.Context, tx Repos, caller access.Caller, id user.ID) (*user.User, error) {
	u, err := tx.Users.ByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if u.Snapshot().Superadmin && !caller.Superadmin && id != caller.User {
		return nil, errShielded
	}
	return u, nil
}

// spared fails with user.ErrLastSuperadmin when nobody could administer the
// instance without this account.
func (s *Service) spared(ctx context.Context, tx Repos, u *user.User) error {
	if !u.Snapshot().Superadmin {
		return nil
	}
	others, err := tx.Users.OtherSuperadmins(ctx, u.ID(), s.Clock.Now())
	if err == nil && others == 0 {
		return user.ErrLastSuperadmin
	}
	return err
}

// saveChanged stores an account unless nothing happened to it.
func saveChanged(ctx context.Context, tx Repos, u *user.User) error {
	if !u.Changed() {
		return nil
	}
	return tx.Users.Save(ctx, u)
}

// ending is which sessions of an account end, and why.
type ending struct {
	except session.ID
	reason string
}

// endingBatch is how many sessions are read at a time.
const endingBatch = 200

// end stores an account and ends its sessions; it tells how many. The account is
// stored even if nothing about it changed, and first: a login stores it too, so
// one that is under way meanwhile must begin anew, and opens no session behind
// the back of this.
func (s *Service) end(ctx context.Context, tx Repos, u *user.User, e ending) (int, error) {
	if err := tx.Users.Save(ctx, u); err != nil {
		return 0, err
	}
	now := s.Clock.Now()
	which := outbound.SessionQuery{User: u.ID(), Except: e.except, Limit: endingBatch, Now: now}
	for ended := 0; ; {
		open, err := tx.Sessions.Matching(ctx, which)
		if err != nil {
			return 0, err
		}
		for _, one := range open {
			one.End(e.reason, now)
			if err := tx.Sessions.Save(ctx, one); err != nil {
				return 0, err
			}
		}
		if ended += len(open); len(open) < endingBatch {
			return ended, nil
		}
	}
}
