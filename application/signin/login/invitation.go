package login

import (
	"context"

	"gatehouse.internal/application/invitations"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
)

// invitation accepts the invitation of a login. A new account is created only if that
// succeeds. An existing account is logged in even if the invitation is no longer valid, or is
// for somebody else.
func (s *Service) invitation(ctx context.Context, tx Repos, e *entry) error {
	if e.Invitation == "" {
		return nil
	}
	guest := invitations.Guest{Invitation: e.Invitation, Person: e.who.User, Proof: user.Verified}
	if !e.New {
		err := tx.Inviting.Suits(ctx, guest, s.Clock.Now())
		if err != nil && fault.From(err).Code != fault.Internal {
			return nil
		}
	}
	_, err := tx.Inviting.Accept(ctx, guest, s.Clock.Now())
	return err
}
