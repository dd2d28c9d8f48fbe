package groups

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/role"
)

// SetRolesParams are the parameters of GROUP.SET_ROLES.
type SetRolesParams struct {
	GroupID group.ID `json:"group_id" doc:"ID of the group."`
	Roles   []string `json:"roles" doc:"Names of all roles that every member of the group holds. Replaces the current roles; an empty list removes all of them." jsonschema:"maxItems=50,uniqueItems=true,minLength=1,maxLength=64,example=member"`
}

func (s *Service) setRoles() command.Definition {
	return command.Define(command.Spec[SetRolesParams, Result]{
		Name:        "GROUP.SET_ROLES",
		Summary:     "Set the roles that every member of a group holds.",
		Description: "You must hold everything that the new roles grant and everything that the group granted before.",
		Access:      access.Holding("roles:write").Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{group.KindRolesSet},
		Handle: func(ctx context.Context, call command.Call, p SetRolesParams) (Result, error) {
			return s.change(ctx, call.Caller, p.GroupID, func(book *role.Book, g *group.Group) error {
				if err := covers(call.Caller, book, g); err != nil {
					return err
				}
				roles, err := rolegrant.AllowAll(call.Caller, book, p.Roles, "/roles")
				if err == nil {
					g.SetRoles(roles, s.now())
				}
				return err
			})
		},
	})
}
