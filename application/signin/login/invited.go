package login

import (
	"context"

	"gatehouse.internal/application/invitations"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
)

// accept accepts the invitation of a login once the login is complete. A new account is
// created only if that succeeds. An existing account is logged in even if the invitation is
// no longer valid, or is for somebody else.
func (s *Service) accept(ctx context.Context, tx Repos, who *user.User, p Proof) error {
	if p.Invitation == "" {
		return nil
	}
	guest := invitations.Guest{Invitation: p.Invitation, Person: who, Proof: user.Verified}
	if !p.New {
		err := tx.Inviting.Suits(ctx, guest, s.Clock.Now())
		if err != nil && fault.From(err).Code != fault.Internal {
			return nil
		}
	}
	_, err := tx.Inviting.Accept(ctx, guest, s.Clock.Now())
	return err
}
