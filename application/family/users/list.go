package users

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

var errReading = fault.New(fault.Denied, "listing users requires the scope users:read")

// ListParams are the parameters of USER.LIST.
type ListParams struct {
	view.Search
	Status       string       `json:"status,omitzero" doc:"Only accounts in this state: active, disabled by an administrator, or locked by wrong passwords. Locked accounts are also active or disabled." jsonschema:"enum=active,enum=disabled,enum=locked"`
	OrgID        workspace.ID `json:"org_id,omitzero" doc:"Only members of this workspace. Unless you are a superadmin, it must be the active one." example:"-"`
	CreatedAfter time.Time    `json:"created_after,omitzero" doc:"Only accounts created after this time."`
	page.Params
}

const listDescription = "Superadmins see all accounts. With `users:read`, you see the members of the active workspace. Everyone else sees only " +
	"their own account."

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, view.SearchPage[view.User]]{
		Name:        "USER.LIST",
		Summary:     "List accounts, newest first.",
		Description: listDescription,
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (view.SearchPage[view.User], error) {
			query, err := visible(call.Caller, p.OrgID)
			if err != nil {
				return view.SearchPage[view.User]{}, err
			}
			scope := fmt.Sprintf("USER.LIST|%s|%s", query.Org, query.Only)
			list := s.Cursors.List(scope, p.Params)
			now := s.Clock.Now()
			query.Text, query.Status, query.CreatedAfter, query.Now = p.Text(), p.Status, p.CreatedAfter, now
			position := func(u user.Snapshot) string { return u.ID.String() }
			show := func(u user.Snapshot) view.User { return view.OfUser(u, now) }
			listed, err := page.Read(list, position, show, func(before string, most int) ([]user.Snapshot, error) {
				query.Before, query.Limit = user.ID(before), most
				found, err := s.Directory.List(ctx, query)
				if err == nil && len(found) == 0 && p.OrgID != "" {
					err = s.exists(ctx, p.OrgID, now)
				}
				return found, err
			})
			if err != nil {
				return view.SearchPage[view.User]{}, err
			}
			return view.NewSearchPage(ctx, listed, p.Search, s.Directory, func(limit int) (int, error) {
				query.Limit = limit
				return s.Directory.Count(ctx, query)
			})
		},
	})
}

// visible narrows a list to what the caller may see of the workspace asked for.
// It fails with workspace.ErrNotFound.
func visible(caller access.Caller, org workspace.ID) (people.UserQuery, error) {
	switch {
	case caller.Superadmin:
		return people.UserQuery{Org: org}, nil
	case org != "" && org != caller.Org:
		return people.UserQuery{}, workspace.ErrNotFound
	case caller.May("users:read"):
		return people.UserQuery{Org: caller.Org}, nil
	case caller.Kind == access.App:
		return people.UserQuery{}, errReading
	default:
		return people.UserQuery{Only: caller.User}, nil
	}
}

// exists fails with workspace.ErrNotFound when a workspace has no members: each
// that there is has an owner.
func (s *Service) exists(ctx context.Context, org workspace.ID, now time.Time) error {
	members, err := s.Directory.List(ctx, people.UserQuery{Org: org, Limit: 1, Now: now})
	if err == nil && len(members) == 0 {
		return workspace.ErrNotFound
	}
	return err
}
