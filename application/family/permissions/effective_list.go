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
	UserID user.ID      `json:"user_id,omitzero" doc:"Whose: a member of the workspace; yours when absent. Others need permissions:read."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"The workspace, one of yours; the active one when absent. Superadmins may name any." example:"-"`
}

// EffectiveListResult is the result of PERMISSION.EFFECTIVE_LIST.
type EffectiveListResult struct {
	Items []Effective `json:"items" doc:"The permissions, in the order of their names, then the workspace's own ones."`
}

// Effective is a permission that somebody has.
type Effective struct {
	Permission string `json:"permission" doc:"The permission."`
	Via        string `json:"via" doc:"What gives it first: role:editor, group:ops/role:editor, superadmin, or scope."`
}

func (s *Service) effectiveList() command.Definition {
	return command.Define(command.Spec[EffectiveListParams, EffectiveListResult]{
		Name:        "PERMISSION.EFFECTIVE_LIST",
		Summary:     "List every permission that a user has in a workspace, this service's and the workspace's own, each with the role or group that gives it.",
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
