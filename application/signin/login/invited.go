package login

import (
	"context"

	"gatehouse.internal/application/inviting"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
)

// accept takes the invitation that somebody came by, once they gave all that the login
// asks for. A new account stands and falls with it. Who had one is let in whatever has
// become of it meanwhile, and without it where it is not for them.
func (s *Service) accept(ctx context.Context, tx Repos, who *user.User, p Proof) error {
	if p.Invitation == "" {
		return nil
	}
	guest := inviting.Guest{Invitation: p.Invitation, Person: who, Proof: user.Verified}
	if !p.New {
		err := tx.Inviting.Suits(ctx, guest, s.Clock.Now())
		if err != nil && fault.From(err).Code != fault.Internal {
			return nil
		}
	}
	_, err := tx.Inviting.Accept(ctx, guest, s.Clock.Now())
	return err
}
