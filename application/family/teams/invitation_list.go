package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/ports/outbound/workspaces"
)

// InvitationListParams are the parameters of TEAM.INVITATION_LIST.
type InvitationListParams struct {
	Status invitation.Status `json:"status,omitzero" doc:"Only invitations with this status. Omit to list all."`
	page.Params
}

func (s *Service) invitationList() command.Definition {
	return command.Define(command.Spec[InvitationListParams, page.Of[Invitation]]{
		Name:        "TEAM.INVITATION_LIST",
		Summary:     "List the invitations to the workspace, newest first.",
		Description: "Invitations that are no longer pending stay in the list for 90 days.",
		Access:      access.Holding("members:read"),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p InvitationListParams) (page.Of[Invitation], error) {
			query := workspaces.InvitationQuery{Org: call.Caller.Org, Status: p.Status, Now: s.Clock.Now()}
			book, err := s.Books.Now(ctx, query.Org)
			if err != nil {
				return page.Of[Invitation]{}, err
			}
			list := s.Cursors.List("TEAM.INVITATION_LIST|"+query.Org.String()+"|"+string(p.Status), p.Params)
			position := func(i invitation.Snapshot) string { return i.ID.String() }
			show := func(i invitation.Snapshot) Invitation { return ofInvitation(i, book, query.Now) }
			return page.Read(list, position, show, func(before string, most int) ([]invitation.Snapshot, error) {
				query.Before, query.Limit = invitation.ID(before), most
				return s.Invitations.List(ctx, query)
			})
		},
	})
}
