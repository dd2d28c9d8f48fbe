package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/invitations"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// InvitationAcceptResult is the result of TEAM.INVITATION_ACCEPT.
type InvitationAcceptResult struct {
	Organization view.Organization `json:"organization" doc:"The workspace. Use TEAM.SWITCH to make it active."`
	Roles        []string          `json:"roles" doc:"Names of your roles in the workspace."`
}

const invitationAcceptDescription = "This also verifies your address if needed. If the sender can no longer give the offered role, the invitation is revoked " +
	"instead."

func (s *Service) invitationAccept() command.Definition {
	return command.Define(command.Spec[TokenParams, InvitationAcceptResult]{
		Name:        "TEAM.INVITATION_ACCEPT",
		Summary:     "Accept an invitation that was emailed to your address.",
		Description: invitationAcceptDescription,
		Access:      access.User().InPerson(),
		Effect:      command.Writes,
		Emits:       []event.Kind{invitation.KindAccepted, invitation.KindRevoked, workspace.KindMemberAdded, user.KindEmailVerified},
		Handle: func(ctx context.Context, call command.Call, p TokenParams) (InvitationAcceptResult, error) {
			if _, err := s.Inviting.Check(ctx, invitations.Digest(p.Token)); err != nil {
				return InvitationAcceptResult{}, err
			}
			proof := user.Verified
			if login.Proves(call.Caller, call.Caller.User) {
				proof = user.Bound
			}
			var joined invitations.Acceptance
			err := s.Unit.Do(ctx, func(tx Repos) error {
				guest, err := tx.Inviting.Users.ByID(ctx, call.Caller.User)
				if err != nil {
					return err
				}
				taken := invitations.Guest{Invitation: invitations.Digest(p.Token), Person: guest, Proof: proof}
				if joined, err = tx.Inviting.Accept(ctx, taken, s.Clock.Now()); err != nil {
					return err
				}
				_, err = tx.joining().Join(ctx, guest.Snapshot(), "", s.Clock.Now())
				return err
			})
			if err != nil {
				return InvitationAcceptResult{}, err
			}
			shown, err := s.show(ctx, joined.Workspace)
			return InvitationAcceptResult{shown, []string{joined.Role.Name}}, err
		},
	})
}
