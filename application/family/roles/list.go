package roles

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

// ListParams are the parameters of ROLE.LIST.
type ListParams struct {
	OrgID workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Defaults to the active one. Superadmins can name any workspace." example:"-"`
}

// ListResult is the result of ROLE.LIST.
type ListResult struct {
	Items []Role `json:"items" doc:"Built-in roles, most powerful first, then custom roles sorted by name."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:        "ROLE.LIST",
		Summary:     "List the built-in and custom roles of a workspace, with their permissions.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (ListResult, error) {
			book, err := s.book(ctx, call.Caller, p.OrgID)
			if err != nil {
				return ListResult{}, err
			}
			shown := ListResult{}
			for _, r := range book.Roles() {
				shown.Items = append(shown.Items, show(book, r))
			}
			return shown, nil
		},
	})
}

// book reads the roles of a workspace, the active one where none is named. It fails with
// workspace.ErrNotFound unless the caller may see it. Who acts in no workspace sees what
// each has.
func (s *Service) book(ctx context.Context, caller access.Caller, org workspace.ID) (*role.Book, error) {
	if org == "" {
		org = caller.Org
	}
	switch {
	case org == "":
		return role.Plain(), nil
	case !caller.Sees(org):
		return nil, workspace.ErrNotFound
	}
	return s.Books.Now(ctx, org)
}
