package roles

import (
	"context"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

// ListParams are the parameters of ROLE.LIST.
type ListParams struct {
	OrgID workspace.ID `json:"org_id,omitzero" doc:"The workspace; the active one when absent. Superadmins may name any."`
}

// ListResult is the result of ROLE.LIST.
type ListResult struct {
	Items []Role `json:"items" doc:"The roles, the mightiest first."`
}

// Role is a role in results.
type Role struct {
	Name        string   `json:"name" doc:"Name by which it is given, and under which tokens carry it."`
	Description string   `json:"description" doc:"What it is for."`
	Builtin     bool     `json:"builtin" doc:"Whether every workspace has it and nobody can change it."`
	Permissions []string `json:"permissions" doc:"What it grants, as resource:action. * alone is everything but instance permissions (users:manage, sessions:manage, users:impersonate, privacy:manage)."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:    "ROLE.LIST",
		Summary: "List the roles that a workspace can give, with what each permits.",
		Access:  access.Anybody(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (ListResult, error) {
			if err := s.visible(ctx, call.Caller, p.OrgID); err != nil {
				return ListResult{}, err
			}
			shown := ListResult{}
			for _, r := range role.Builtin() {
				shown.Items = append(shown.Items, Role{
					Name: r.Name, Description: r.Description, Builtin: r.Builtin, Permissions: r.Permissions,
				})
			}
			return shown, nil
		},
	})
}

// visible fails with workspace.ErrNotFound unless the caller may see the workspace.
func (s *Service) visible(ctx context.Context, caller access.Caller, org workspace.ID) error {
	switch {
	case org == "" || org == caller.Org:
		return nil
	case !caller.Superadmin:
		return workspace.ErrNotFound
	}
	return s.Unit.Do(ctx, func(tx Repos) error {
		_, err := tx.Workspaces.ByID(ctx, org)
		return err
	})
}
