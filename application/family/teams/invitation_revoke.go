package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/invitation"
)

// RevokedResult is the result of TEAM.INVITATION_REVOKE.
type RevokedResult struct {
	Revoked bool `json:"revoked" doc:"Always true."`
}

func (s *Service) invitationRevoke() command.Definition {
	return command.Define(command.Spec[InvitationParams, RevokedResult]{
		Name:        "TEAM.INVITATION_REVOKE",
		Summary:     "Revoke a pending invitation.",
		Description: "Its link stops working.",
		Access:      access.Holding("members:write"),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{invitation.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p InvitationParams) (RevokedResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				i, err := tx.Inviting.Invitations.ByID(ctx, p.ID)
				switch {
				case err != nil:
					return err
				case i.Snapshot().OrgID != call.Caller.Org:
					return invitation.ErrNotFound
				}
				if err := i.Revoke(invitation.ByHand, s.Clock.Now()); err != nil {
					return err
				}
				return tx.Inviting.Invitations.Save(ctx, i)
			})
			if err != nil {
				return RevokedResult{}, err
			}
			return RevokedResult{Revoked: true}, nil
		},
	})
}
