package permissions

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// HolderListParams are the parameters of PERMISSION.HOLDER_LIST.
type HolderListParams struct {
	Check
	OrgID workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Defaults to the active one. Superadmins can name any workspace." example:"-"`
	page.Params
}

// Holder is somebody who may do what was asked.
type Holder struct {
	UserID user.ID `json:"user_id" doc:"ID of the member."`
	Via    string  `json:"via" doc:"First source of the permission: role:editor, group:ops/role:editor, or relation:editor."`
}

const holderListDescription = "Superadmins can perform every action and are not listed for it.\n\n" +
	"Roles decide for a type. For a single object, such as `docs/42`, relations decide in the same cases as in " +
	"`PERMISSION.CHECK`.\n\n" +
	"A page can have fewer than `limit` items, for example when role assignments have expired or accounts are disabled. Use " +
	"`next_cursor` to tell whether there are more."

func (s *Service) holderList() command.Definition {
	return command.Define(command.Spec[HolderListParams, page.Of[Holder]]{
		Name:        "PERMISSION.HOLDER_LIST",
		Summary:     "List the members who can perform an action on a resource, in order of their IDs.",
		Description: holderListDescription,
		Access:      access.Holding(reading),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p HolderListParams) (page.Of[Holder], error) {
			org := p.OrgID
			if org == "" {
				org = call.Caller.Org
			}
			if !call.Caller.Sees(org) {
				return page.Of[Holder]{}, workspace.ErrNotFound
			}
			if decided, err := s.decided(ctx, org, p.Check); err != nil || decided {
				if err != nil {
					return page.Of[Holder]{}, err
				}
				return s.relatives(ctx, org, p)
			}
			book, err := s.Books.Now(ctx, org)
			if err != nil {
				return page.Of[Holder]{}, err
			}
			wanted := permission(p.Resource, p.Action)
			list := s.Cursors.List("PERMISSION.HOLDER_LIST|"+org.String()+"|"+wanted, p.Params)
			holders, err := page.Read(list, func(m workspaces.Member) string { return m.User.String() }, s.holder(book, wanted),
				func(after string, most int) ([]workspaces.Member, error) {
					return s.Rights.Holders(ctx, workspaces.HolderQuery{
						Org: org, Carriers: book.Carrying(wanted), After: user.ID(after), Limit: most,
					})
				})
			holders.Items = slices.DeleteFunc(holders.Items, func(h Holder) bool { return h.Via == "" })
			return holders, err
		},
	})
}

// holder returns through what a member has a permission.
func (s *Service) holder(book *role.Book, wanted string) func(workspaces.Member) Holder {
	now := s.Clock.Now()
	return func(m workspaces.Member) Holder {
		if !m.Availability.Usable(now) {
			return Holder{}
		}
		return Holder{UserID: m.User, Via: book.Standing(m.MemberGrants, now).Via(wanted)}
	}
}
