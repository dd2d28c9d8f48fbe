package groups

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/workspaces"
)

// MemberListParams are the parameters of GROUP.MEMBER_LIST.
type MemberListParams struct {
	GroupID group.ID `json:"group_id" doc:"ID of the group."`
	page.Params
}

// Member is a member of a group in results.
type Member struct {
	UserID  user.ID   `json:"user_id" doc:"ID of the member. Use USER.GET to read the account."`
	AddedAt time.Time `json:"added_at" doc:"When the member was added."`
}

func (s *Service) memberList() command.Definition {
	return command.Define(command.Spec[MemberListParams, page.Of[Member]]{
		Name:    "GROUP.MEMBER_LIST",
		Summary: "List the members of a group, in order of their IDs.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p MemberListParams) (page.Of[Member], error) {
			found, err := s.Directory.Find(ctx, call.Caller.Org, p.GroupID)
			if err != nil {
				return page.Of[Member]{}, err
			}
			show := func(m workspaces.GroupMember) Member { return Member{UserID: m.User, AddedAt: m.AddedAt} }
			list := s.Cursors.List("GROUP.MEMBER_LIST|"+found.ID.String(), p.Params)
			return page.Read(list, func(m workspaces.GroupMember) string { return m.User.String() }, show,
				func(after string, most int) ([]workspaces.GroupMember, error) {
					return s.Directory.Members(ctx, workspaces.GroupMemberQuery{
						Org: found.OrgID, Group: found.ID, After: user.ID(after), Limit: most,
					})
				})
		},
	})
}
