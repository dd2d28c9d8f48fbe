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
	ID invitation.ID `json:"invitation_id" doc:"The invitation."`
}

func (s *Service) invitationResend() command.Definition {
	return command.Define(command.Spec[InvitationParams, InvitationResult]{
		Name: "TEAM.INVITATION_RESEND",
		Summary: "Send an invitation again, with a fresh token, for as many days as before; the mail before is worth nothing any more. " +
			"It counts as TEAM.INVITE does, and you must hold the role as its sender must.",
		Access: access.Holding("members:write").Recent(),
		Effect: command.Outside,
		Emits:  []event.Kind{invitation.KindResent},
		Handle: func(ctx context.Context, call command.Call, p InvitationParams) (InvitationResult, error) {
			sent, err := s.Inviting.Resend(ctx, call, p.ID)
			if err != nil {
				return InvitationResult{}, err
			}
			return s.showInvitation(ctx, sent)
		},
	})
}
