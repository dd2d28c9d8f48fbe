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
	OrgID workspace.ID `json:"org_id,omitzero" doc:"The workspace; the active one when absent. Superadmins may name any." example:"-"`
	page.Params
}

// Holder is somebody who may do what was asked.
type Holder struct {
	UserID user.ID `json:"user_id" doc:"The member."`
	Via    string  `json:"via" doc:"What allows it first: role:editor, group:ops/role:editor, or relation:editor."`
}

func (s *Service) holderList() command.Definition {
	return command.Define(command.Spec[HolderListParams, page.Of[Holder]]{
		Name: "PERMISSION.HOLDER_LIST",
		Summary: "List the members who may do an action on a resource, in the order of their ids; superadmins may do it besides. " +
			"Roles they hold decide; about one thing of a type (docs/42) relations do where they do in PERMISSION.CHECK. " +
			"A page may have fewer than limit items: much had to be looked at, roles have ended or accounts are disabled; next_cursor reports whether there are more.",
		Access: access.Holding(reading),
		Effect: command.Reads,
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
		return Holder{UserID: m.User, Via: book.Standing(m.Holding, now).Via(wanted)}
	}
}
