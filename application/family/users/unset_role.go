package users

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// UnsetRoleParams are the parameters of USER.UNSET_ROLE.
type UnsetRoleParams struct {
	UserID user.ID      `json:"user_id" doc:"ID of a member of the workspace."`
	Role   string       `json:"role" doc:"Name of the role." jsonschema:"minLength=1,maxLength=64,example=admin"`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Defaults to the active one. Only superadmins can name another." example:"-"`
}

const unsetRoleDescription = "You must hold every permission that the role grants and every permission that the member holds. " +
	"The role owner cannot be removed from the last owner. Does nothing if the member does not have the role."

func (s *Service) unsetRole() command.Definition {
	return command.Define(command.Spec[UnsetRoleParams, RolesResult]{
		Name:        "USER.UNSET_ROLE",
		Summary:     "Remove a role from a member of a workspace.",
		Description: unsetRoleDescription,
		Access:      access.Holding("members:write").Recent(),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{workspace.KindRoleUnassigned},
		Handle: func(ctx context.Context, call command.Call, p UnsetRoleParams) (RolesResult, error) {
			return s.regrant(ctx, call.Caller, grant{person: p.UserID, org: p.OrgID, role: p.Role, change: (*workspace.Member).Unassign, ends: true})
		},
	})
}
