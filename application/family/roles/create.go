package roles

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

// CreateParams are the parameters of ROLE.CREATE.
type CreateParams struct {
	Name        workspace.Label    `json:"name" doc:"Name of the role, used to assign it. Unique in the workspace, case-insensitive."`
	Permissions access.Permissions `json:"permissions" doc:"Permissions that the role grants: built-in workspace permissions or custom permissions of the workspace, by their names in PERMISSION.LIST. You must hold all of them." jsonschema:"maxItems=600,uniqueItems=true,minLength=1,maxLength=64,example=flows:read"`
	Inherits    []string           `json:"inherits,omitzero" doc:"Names of roles whose permissions this role also grants. At most 8 levels deep." jsonschema:"maxItems=50,uniqueItems=true,minLength=1,maxLength=64,example=member"`
	Description string             `json:"description,omitzero" doc:"Purpose of the role." jsonschema:"maxLength=500"`
}

const createDescription = "You must hold everything that the role grants, including what it inherits. A workspace can have at most 200 custom " +
	"roles."

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, Result]{
		Name:        "ROLE.CREATE",
		Summary:     "Create a custom role.",
		Description: createDescription,
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{role.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (result Result, err error) {
			id := role.NewID(s.IDs)
			err = s.Unit.Do(ctx, func(tx Repos) error {
				book, err := rolegrant.Hold(ctx, tx.Books, call.Caller, call.Caller.Org)
				if err != nil {
					return err
				}
				if len(book.Roles()) >= workspace.MaxRoles+len(role.Builtin()) {
					return role.ErrTooMany
				}
				inherits, err := keys(book, p.Inherits)
				if err != nil {
					return err
				}
				made := role.Define(role.Draft{
					ID: id, OrgID: call.Caller.Org, Name: p.Name, Description: p.Description, Permissions: p.Permissions, Inherits: inherits,
				}, s.now())
				result.Role, err = save(ctx, tx, call.Caller, book, made)
				return err
			})
			return result, err
		},
	})
}

// keys returns those of roles by their names, for what inherits them.
func keys(book *role.Book, names []string) ([]string, error) {
	if names == nil {
		return nil, nil
	}
	found := make([]string, 0, len(names))
	for _, name := range names {
		one, err := book.Named(name)
		if err != nil {
			return nil, fault.Unfit("/inherits", "names an unknown role: see ROLE.LIST")
		}
		found = append(found, one.Key())
	}
	return found, nil
}

// save stores a role as a caller defined it, where it fits the others of the workspace and
// grants no more than they hold.
func save(ctx context.Context, tx Repos, caller access.Caller, book *role.Book, d *role.Definition) (Role, error) {
	after, err := book.With(d.Snapshot())
	if err != nil {
		return Role{}, err
	}
	made, _ := after.ByKey(d.Snapshot().ID.String())
	if err := rolegrant.Covers(caller, made.Permissions); err != nil {
		return Role{}, err
	}
	if err := tx.joinable(ctx, d.Snapshot().OrgID, after, nil); err != nil {
		return Role{}, err
	}
	return show(after, made), tx.Roles.Save(ctx, d)
}
