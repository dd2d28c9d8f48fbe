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
	RoleID role.ID `json:"role_id" doc:"The custom role."`
	page.Params
}

// Holder is somebody who holds a role in results.
type Holder struct {
	UserID    user.ID    `json:"user_id" doc:"The member."`
	Via       string     `json:"via" doc:"How they hold it: role:editor where it was given to them, group:ops/role:editor where a group has it."`
	ExpiresAt *time.Time `json:"expires_at" doc:"When they lose it by itself; null: never."`
}

func (s *Service) memberList() command.Definition {
	return command.Define(command.Spec[MemberListParams, page.Of[Holder]]{
		Name: "ROLE.MEMBER_LIST",
		Summary: "List who holds a custom role, directly or through a group, each once, in the order of their ids. " +
			"A page may have fewer than limit items where roles have ended; next_cursor reports whether there are more.",
		Access: access.Holding(reading),
		Effect: command.Reads,
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
				way, held := book.Standing(m.Holding, now).Has(key)
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
