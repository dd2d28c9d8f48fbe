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
	UserID    user.ID      `json:"user_id" doc:"A member of the workspace."`
	Role      string       `json:"role" doc:"Name of a role; ROLE.LIST lists them." jsonschema:"minLength=1,maxLength=64,example=admin"`
	OrgID     workspace.ID `json:"org_id,omitzero" doc:"The workspace; absent: the active one. Only superadmins may name another." example:"-"`
	ExpiresAt time.Time    `json:"expires_at,omitzero" doc:"When the role ends by itself; absent: never. It replaces what held before."`
}

func (s *Service) setRole() command.Definition {
	return command.Define(command.Spec[SetRoleParams, RolesResult]{
		Name:    "USER.SET_ROLE",
		Summary: "Give a member of the workspace a role, for good or until a time; only who holds all that it grants may give it, and one owner must stay for good.",
		Access:  access.Holding("members:write").Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{workspace.KindRoleAssigned},
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
