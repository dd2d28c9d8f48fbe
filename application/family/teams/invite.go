package teams

import (
	"cmp"
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/invitation"
)

// InviteParams are the parameters of TEAM.INVITE.
type InviteParams struct {
	Email   email.Address `json:"email" doc:"Email address to invite, with or without an account."`
	Role    string        `json:"role" doc:"Role that the invited person gets on accepting. It must not grant more than you hold. See ROLE.LIST." jsonschema:"minLength=1,maxLength=64,example=member"`
	Message string        `json:"message,omitzero" doc:"Message to the invited person. Shown on the page that the link opens, not in the email, which could reach strangers." jsonschema:"maxLength=500,pattern=^[^\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]*$,example=See you on Monday"`
	Days    int           `json:"expires_in_days,omitzero" doc:"Days until the invitation expires. Defaults to 7." jsonschema:"minimum=1,maximum=30,example=7"`
}

const inviteDescription = "An address has at most one pending invitation. If you invite it again, that invitation is sent again with a new token " +
	"and the new role.\n\n" +
	"A workspace can send 100 invitations per hour. An address receives at most 5 per day."

func (s *Service) invite() command.Definition {
	return command.Define(command.Spec[InviteParams, InvitationResult]{
		Name:        "TEAM.INVITE",
		Summary:     "Invite an email address to the workspace, with a role.",
		Description: inviteDescription,
		Access:      access.Holding("members:write").Recent(),
		Effect:      command.Outside,
		Emits:       []event.Kind{invitation.KindCreated, invitation.KindResent},
		Handle: func(ctx context.Context, call command.Call, p InviteParams) (InvitationResult, error) {
			draft := invitations.Draft{Role: p.Role, Message: p.Message, Days: cmp.Or(p.Days, invitation.DefaultDays)}
			return s.inviteOne(ctx, call, p.Email, draft)
		},
	})
}
