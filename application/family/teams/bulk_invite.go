package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/invitation"
)

// BulkInviteParams are the parameters of TEAM.BULK_INVITE.
type BulkInviteParams struct {
	Emails  []email.Address `json:"emails" doc:"Email addresses to invite, with or without an account." jsonschema:"minItems=1,maxItems=100"`
	Role    string          `json:"role" doc:"Role that an invited person gets on accepting. It must not grant more than you hold. See ROLE.LIST." jsonschema:"minLength=1,maxLength=64,example=member"`
	Message string          `json:"message,omitzero" doc:"Message to the invited people. Shown on the page that the link opens, not in the email, which could reach strangers." jsonschema:"maxLength=500,pattern=^[^\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]*$,example=See you on Monday"`
}

// BulkInviteResult is the result of TEAM.BULK_INVITE.
type BulkInviteResult struct {
	Invited []Invitation                 `json:"invited" doc:"Invitations that were sent. Each is valid for 7 days."`
	Skipped []invitations.SkippedAddress `json:"skipped" doc:"Addresses that were not invited, with the reason. Whether an address has an account is never a reason."`
}

func (s *Service) bulkInvite() command.Definition {
	return command.Define(command.Spec[BulkInviteParams, BulkInviteResult]{
		Name:        "TEAM.BULK_INVITE",
		Summary:     "Invite up to 100 email addresses to the workspace at once.",
		Description: "The rules and limits of `TEAM.INVITE` apply to each address. The result lists the skipped addresses with the reasons.",
		Access:      access.Holding("members:write").Recent(),
		Effect:      command.Outside,
		Emits:       []event.Kind{invitation.KindCreated, invitation.KindResent},
		Handle: func(ctx context.Context, call command.Call, p BulkInviteParams) (BulkInviteResult, error) {
			sent, err := s.Inviting.Invite(ctx, call, invitations.Draft{Role: p.Role, Message: p.Message, Days: invitation.DefaultDays}, p.Emails)
			if err != nil {
				return BulkInviteResult{}, err
			}
			book, err := s.Books.Now(ctx, call.Caller.Org)
			if err != nil {
				return BulkInviteResult{}, err
			}
			result := BulkInviteResult{Invited: make([]Invitation, len(sent.Invited)), Skipped: append([]invitations.SkippedAddress{}, sent.Skipped...)}
			for i, one := range sent.Invited {
				result.Invited[i] = ofInvitation(one, book, s.Clock.Now())
			}
			return result, nil
		},
	})
}
