package roles

import (
	"context"
	"slices"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/workspaces"
)

// MemberListParams are the parameters of ROLE.MEMBER_LIST.
type MemberListParams struct {
	RoleID role.ID `json:"role_id" doc:"ID of the custom role."`
	page.Params
}

// Holder is somebody who holds a role in results.
type Holder struct {
	UserID    user.ID    `json:"user_id" doc:"ID of the member."`
	Via       string     `json:"via" doc:"How the member holds the role: role:editor if assigned directly, group:ops/role:editor if through a group."`
	ExpiresAt *time.Time `json:"expires_at" doc:"When the member loses the role. Null if it does not expire."`
}

const memberListDescription = "Each member appears once, in order of their IDs. A page can have fewer than `limit` items if role assignments have " +
	"expired. Use `next_cursor` to tell whether there are more."

func (s *Service) memberList() command.Definition {
	return command.Define(command.Spec[MemberListParams, page.Of[Holder]]{
		Name:        "ROLE.MEMBER_LIST",
		Summary:     "List the members who hold a custom role, directly or through a group.",
		Description: memberListDescription,
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p MemberListParams) (page.Of[Holder], error) {
			book, err := s.book(ctx, call.Caller, "")
			if err != nil {
				return page.Of[Holder]{}, err
			}
			key := p.RoleID.String()
			if _, known := book.ByKey(key); !known {
				return page.Of[Holder]{}, role.ErrNotFound
			}
			now := s.Clock.Now()
			show := func(m workspaces.Member) Holder {
				way, held := book.Standing(m.MemberGrants, now).Has(key)
				if !held {
					return Holder{}
				}
				return Holder{UserID: m.User, Via: way.String(), ExpiresAt: view.Time(way.ExpiresAt)}
			}
			list := s.Cursors.List("ROLE.MEMBER_LIST|"+key, p.Params)
			holders, err := page.Read(list, func(m workspaces.Member) string { return m.User.String() }, show,
				func(after string, most int) ([]workspaces.Member, error) {
					return s.Rights.Holders(ctx, workspaces.HolderQuery{
						Org: call.Caller.Org, Carriers: book.Holding(key), After: user.ID(after), Limit: most,
					})
				})
			holders.Items = slices.DeleteFunc(holders.Items, func(h Holder) bool { return h.UserID == "" })
			return holders, err
		},
	})
}
