package roles

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

// UpdateParams are the parameters of ROLE.UPDATE.
type UpdateParams struct {
	RoleID      role.ID            `json:"role_id" doc:"ID of the custom role."`
	Name        *workspace.Label   `json:"name,omitzero" doc:"New name. Tokens carry it from their next refresh."`
	Permissions access.Permissions `json:"permissions,omitzero" doc:"Permissions that the role grants directly. Replaces the current list." jsonschema:"maxItems=600,uniqueItems=true,minLength=1,maxLength=64,example=flows:read"`
	Inherits    []string           `json:"inherits,omitzero" doc:"Names of roles whose permissions this role also grants. Replaces the current list." jsonschema:"maxItems=50,uniqueItems=true,minLength=1,maxLength=64,example=member"`
	Description *string            `json:"description,omitzero" doc:"Purpose of the role." jsonschema:"maxLength=500"`
}

const updateDescription = "Omitted fields keep their values. The change takes effect at the next request of everyone who holds the role.\n\n" +
	"You must hold everything that the role grants, before and after the change."

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:        "ROLE.UPDATE",
		Summary:     "Update a custom role.",
		Description: updateDescription,
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{role.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (result Result, err error) {
			err = s.Unit.Do(ctx, func(tx Repos) error {
				book, d, err := s.held(ctx, tx, call.Caller, p.RoleID)
				if err != nil {
					return err
				}
				inherits, err := keys(book, p.Inherits)
				if err != nil {
					return err
				}
				d.Update(role.Change{Name: p.Name, Description: p.Description, Permissions: p.Permissions, Inherits: inherits}, s.now())
				if !d.Changed() {
					same, _ := book.ByKey(p.RoleID.String())
					result.Role = show(book, same)
					return nil
				}
				result.Role, err = save(ctx, tx, call.Caller, book, d)
				return err
			})
			return result, err
		},
	})
}

// held reads a role that a caller is to change, with the book of the workspace, which is
// held. It fails with role.ErrNotFound, and with rolegrant.ErrExceeds where the role grants
// more than they hold.
func (s *Service) held(ctx context.Context, tx Repos, caller access.Caller, id role.ID) (*role.Book, *role.Definition, error) {
	book, err := rolegrant.Hold(ctx, tx.Books, caller, caller.Org)
	if err != nil {
		return nil, nil, err
	}
	d, err := tx.Roles.ByID(ctx, caller.Org, id)
	if err != nil {
		return nil, nil, err
	}
	before, _ := book.ByKey(id.String())
	return book, d, rolegrant.Covers(caller, before.Permissions)
}
