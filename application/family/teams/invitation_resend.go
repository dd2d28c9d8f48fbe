package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/invitation"
)

// InvitationParams name an invitation of the workspace.
type InvitationParams struct {
	ID invitation.ID `json:"invitation_id" doc:"ID of the invitation."`
}

const invitationResendDescription = "The new token is valid for as many days as the original. The link of the previous email stops working.\n\n" +
	"Resending counts toward the limits of `TEAM.INVITE`. You must hold everything that the offered role grants."

func (s *Service) invitationResend() command.Definition {
	return command.Define(command.Spec[InvitationParams, InvitationResult]{
		Name:        "TEAM.INVITATION_RESEND",
		Summary:     "Send an invitation again, with a new token.",
		Description: invitationResendDescription,
		Access:      access.Holding("members:write").Recent(),
		Effect:      command.Outside,
		Emits:       []event.Kind{invitation.KindResent},
		Handle: func(ctx context.Context, call command.Call, p InvitationParams) (InvitationResult, error) {
			sent, err := s.Inviting.Resend(ctx, call, p.ID)
			if err != nil {
				return InvitationResult{}, err
			}
			return s.showInvitation(ctx, sent)
		},
	})
}
