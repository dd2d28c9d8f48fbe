package permissions

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// EffectiveListParams are the parameters of PERMISSION.EFFECTIVE_LIST.
type EffectiveListParams struct {
	UserID user.ID      `json:"user_id,omitzero" doc:"ID of a member of the workspace. Defaults to you. Others require permissions:read."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"ID of one of your workspaces. Defaults to the active one. Superadmins can name any workspace." example:"-"`
}

// EffectiveListResult is the result of PERMISSION.EFFECTIVE_LIST.
type EffectiveListResult struct {
	Items []Effective `json:"items" doc:"Built-in permissions sorted by name, then the workspace's custom permissions."`
}

// Effective is a permission that somebody has.
type Effective struct {
	Permission string `json:"permission" doc:"Name of the permission."`
	Via        string `json:"via" doc:"First source of the permission: role:editor, group:ops/role:editor, superadmin, or scope."`
}

func (s *Service) effectiveList() command.Definition {
	return command.Define(command.Spec[EffectiveListParams, EffectiveListResult]{
		Name:        "PERMISSION.EFFECTIVE_LIST",
		Summary:     "List all permissions that a user holds in a workspace, with their sources.",
		Description: "The list has built-in and custom permissions. The source is the role or group that grants the permission.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p EffectiveListParams) (EffectiveListResult, error) {
			of, err := s.subject(ctx, call.Caller, p.OrgID, p.UserID)
			if err != nil {
				return EffectiveListResult{}, err
			}
			own, err := s.own(ctx, of.org)
			if err != nil {
				return EffectiveListResult{}, err
			}
			listed := EffectiveListResult{Items: []Effective{}}
			for _, known := range append(access.Catalog(), own...) {
				if via := of.via(known.Name); via != "" {
					listed.Items = append(listed.Items, Effective{Permission: known.Name, Via: via})
				}
			}
			return listed, nil
		},
	})
}

// own lists the own permissions of a workspace; who acts in none has none.
func (s *Service) own(ctx context.Context, org workspace.ID) ([]access.Permission, error) {
	if org == "" {
		return nil, nil
	}
	return s.Directory.List(ctx, org)
}
