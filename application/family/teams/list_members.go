package teams

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// ListMembersParams are the parameters of TEAM.LIST_MEMBERS.
type ListMembersParams struct {
	Role string `json:"role,omitzero" doc:"Only members with a current assignment of this role." jsonschema:"minLength=1,maxLength=64,example=admin"`
	view.Search
	page.Params
}

func (s *Service) listMembers() command.Definition {
	return command.Define(command.Spec[ListMembersParams, view.SearchPage[view.Member]]{
		Name:    "TEAM.LIST_MEMBERS",
		Summary: "List the members of the workspace with their roles, newest accounts first.",
		Access:  access.Holding("members:read"),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListMembersParams) (view.SearchPage[view.Member], error) {
			book, err := s.Books.Of(ctx, call.Caller)
			if err != nil {
				return view.SearchPage[view.Member]{}, err
			}
			query := people.MemberQuery{UserQuery: people.UserQuery{Org: call.Caller.Org, Text: p.Text(), Now: s.Clock.Now()}}
			if p.Role != "" {
				wanted, err := book.Named(p.Role)
				if err != nil {
					return view.SearchPage[view.Member]{}, err
				}
				query.Role = wanted.Key()
			}
			list := s.Cursors.List(fmt.Sprintf("TEAM.LIST_MEMBERS|%s|%s|%s", query.Org, query.Role, query.Text), p.Params)
			position := func(m people.Member) string { return m.User.ID.String() }
			show := func(m people.Member) view.Member { return view.OfMember(m, book, query.Now) }
			listed, err := page.Read(list, position, show, func(before string, most int) ([]people.Member, error) {
				query.Before, query.Limit = user.ID(before), most
				return s.Members.List(ctx, query)
			})
			if err != nil {
				return view.SearchPage[view.Member]{}, err
			}
			return view.NewSearchPage(ctx, listed, p.Search, s.People, func(limit int) (int, error) {
				query.Limit = limit
				return s.Members.Count(ctx, query)
			})
		},
	})
}
