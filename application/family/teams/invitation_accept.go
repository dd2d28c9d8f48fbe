package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/inviting"
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
	Organization view.Organization `json:"organization" doc:"The workspace; TEAM.SWITCH makes it the active one."`
	Roles        []string          `json:"roles" doc:"Roles of the caller in it."`
}

func (s *Service) invitationAccept() command.Definition {
	return command.Define(command.Spec[TokenParams, InvitationAcceptResult]{
		Name: "TEAM.INVITATION_ACCEPT",
		Summary: "Accept an invitation that was mailed to your address, which it verifies if it is not yet. " +
			"Where its sender may not give the role any more, it is revoked instead.",
		Access: access.User().InPerson(),
		Effect: command.Writes,
		Emits:  []event.Kind{invitation.KindAccepted, invitation.KindRevoked, workspace.KindMemberAdded, user.KindEmailVerified},
		Handle: func(ctx context.Context, call command.Call, p TokenParams) (InvitationAcceptResult, error) {
			if _, err := s.Inviting.Check(ctx, inviting.Digest(p.Token)); err != nil {
				return InvitationAcceptResult{}, err
			}
			proof := user.Verified
			if login.Proves(call.Caller, call.Caller.User) {
				proof = user.Bound
			}
			var joined inviting.Joined
			err := s.Unit.Do(ctx, func(tx Repos) error {
				guest, err := tx.Inviting.Users.ByID(ctx, call.Caller.User)
				if err != nil {
					return err
				}
				taken := inviting.Guest{Invitation: inviting.Digest(p.Token), Person: guest, Proof: proof}
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
