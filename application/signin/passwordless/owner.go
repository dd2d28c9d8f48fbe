package passwordless

import (
	"context"
	"errors"

	"gatehouse.internal/application/account"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/user"
)

// owner returns the current state of the account that a login is for; nil for a guest, whose
// account is yet to be created. It fails with challenge.ErrGone, also if an account with the
// address of a guest was created meanwhile: its mailbox may be another that folds alike.
func owner(ctx context.Context, tx Repos, waiting challenge.Challenge, box account.Mailbox) (*user.User, error) {
	var u *user.User
	var err error
	if waiting.UserID == "" {
		u, err = tx.Users.ByEmail(ctx, box.Email)
	} else {
		u, err = tx.Users.ByID(ctx, waiting.UserID)
	}
	missing := errors.Is(err, user.ErrNotFound)
	switch {
	case missing && box.Guest:
		return nil, nil
	case missing, err == nil && (box.Guest || !box.Of(u.Snapshot())):
		return nil, challenge.ErrGone
	}
	return u, err
}

// welcome creates the account of a guest. It fails like inviting.Repos.Hold, and with
// aggregate.ErrConflict if the address was taken meanwhile.
func (s *Service) welcome(ctx context.Context, tx Repos, box account.Mailbox) (user.ID, error) {
	if _, err := tx.Inviting.Hold(ctx, box.Invitation, s.Clock.Now()); err != nil {
		return "", err
	}
	if err := s.Login.Instance.State().Policies.Signup.Admit(box.Email); err != nil {
		return "", err
	}
	people := account.Repos{Users: tx.Users, Credentials: tx.Credentials, Workspaces: tx.Workspaces}
	made, err := account.Create(ctx, people, s.Login.IDs, account.Draft{Email: box.Email, Verified: true}, s.Clock.Now())
	if errors.Is(err, user.ErrEmailTaken) {
		err = aggregate.ErrConflict
	}
	if err != nil {
		return "", err
	}
	return made.User.ID(), nil
}
