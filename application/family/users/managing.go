package users

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
)

// manage is the permission to administer other people's accounts.
const manage = account.Manage

var errOneself = fault.Unfit("/user_id", "must not be your own account")

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

// deletedAnyway lists what moves or is deleted with the account, so that it need not end
// before.
func deletedAnyway() []account.Part {
	return []account.Part{account.Devices, account.Keys, account.Apps}
}
