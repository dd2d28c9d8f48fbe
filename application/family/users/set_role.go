package users

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// SetRoleParams are the parameters of USER.SET_ROLE.
type SetRoleParams struct {
	UserID    user.ID      `json:"user_id" doc:"ID of a member of the workspace."`
	Role      string       `json:"role" doc:"Name of the role. See ROLE.LIST." jsonschema:"minLength=1,maxLength=64,example=admin"`
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace. Defaults to the active one. Only superadmins can name another." example:"-"`
	ExpiresAt time.Time    `json:"expires_at,omitzero" doc:"When the assignment expires. Omit for an assignment that does not expire. Replaces an existing assignment of the same role."`
}

const setRoleDescription = "You must hold every permission that the role grants. A workspace must always keep at least one owner whose role does not " +
	"expire."

func (s *Service) setRole() command.Definition {
	return command.Define(command.Spec[SetRoleParams, RolesResult]{
		Name:        "USER.SET_ROLE",
		Summary:     "Assign a role to a member of a workspace, permanently or until a given time.",
		Description: setRoleDescription,
		Access:      access.Holding("members:write").Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{workspace.KindRoleAssigned},
		Handle: func(ctx context.Context, call command.Call, p SetRoleParams) (RolesResult, error) {
			if err := s.future(p.ExpiresAt, errExpiresAt); err != nil {
				return RolesResult{}, err
			}
			until := p.ExpiresAt.UTC().Truncate(time.Microsecond)
			assign := func(m *workspace.Member, given workspace.RoleRef) { m.Assign(given, until) }
			return s.regrant(ctx, call.Caller, grant{person: p.UserID, org: p.OrgID, role: p.Role, change: assign, ends: !until.IsZero()})
		},
	})
}
