package teams

import (
	"cmp"
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/inviting"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/invitation"
)

// InviteParams are the parameters of TEAM.INVITE.
type InviteParams struct {
	Email   email.Address `json:"email" doc:"Address to invite, whether or not it has an account."`
	Role    string        `json:"role" doc:"Role that whoever accepts gets; none that grants more than you hold. ROLE.LIST lists them." jsonschema:"minLength=1,maxLength=64,example=member"`
	Message string        `json:"message,omitzero" doc:"What to say to them. It stands on the page that the link opens and not in the mail, which strangers may get." jsonschema:"maxLength=500,pattern=^[^\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]*$,example=See you on Monday"`
	Days    int           `json:"expires_in_days,omitzero" doc:"How many days the invitation holds; absent: 7." jsonschema:"minimum=1,maximum=30,example=7"`
}

func (s *Service) invite() command.Definition {
	return command.Define(command.Spec[InviteParams, InvitationResult]{
		Name: "TEAM.INVITE",
		Summary: "Mail an address an invitation to the workspace, with a role. An address has one that is pending: inviting it again sends that again, " +
			"with a fresh token and this role. A workspace sends 100 an hour, and an address gets 5 a day.",
		Access: access.Holding("members:write").Recent(),
		Effect: command.Outside,
		Emits:  []event.Kind{invitation.KindCreated, invitation.KindResent},
		Handle: func(ctx context.Context, call command.Call, p InviteParams) (InvitationResult, error) {
			draft := inviting.Draft{Role: p.Role, Message: p.Message, Days: cmp.Or(p.Days, invitation.DefaultDays)}
			return s.inviteOne(ctx, call, p.Email, draft)
		},
	})
}
