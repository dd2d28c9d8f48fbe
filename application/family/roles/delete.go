package roles

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
)

// Errors of a deletion.
var (
	errInUse  = fault.Unfit("/replace_with", "is required because the role is in use: members, groups, other roles, invitations, email domains or the default role refer to it")
	errItself = fault.Unfit("/replace_with", "must differ from the role to delete")
)

// DeleteParams are the parameters of ROLE.DELETE.
type DeleteParams struct {
	RoleID      role.ID `json:"role_id" doc:"ID of the custom role."`
	ReplaceWith string  `json:"replace_with,omitzero" doc:"Name of the replacement role. Required if the role is in use. It replaces the role for its holders, in groups, in roles that inherit it, as the default role, for people of email domains, and in pending invitations." jsonschema:"minLength=1,maxLength=64,example=member"`
}

// DeleteResult is the result of ROLE.DELETE.
type DeleteResult struct {
	Deleted    bool `json:"deleted" doc:"Always true."`
	Reassigned int  `json:"reassigned" doc:"Number of members who got the replacement role."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:        "ROLE.DELETE",
		Summary:     "Delete a custom role.",
		Description: "If the role is in use, name another role to replace it. You must hold everything that both roles grant.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{role.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			reassigned := 0
			err := s.Unit.Do(ctx, func(tx Repos) error {
				book, d, err := s.held(ctx, tx, call.Caller, p.RoleID)
				if err != nil {
					return err
				}
				replacement, err := tx.replacement(ctx, call.Caller, book, p)
				if err != nil {
					return err
				}
				if reassigned, err = s.replace(ctx, tx, d, replacement); err != nil {
					return err
				}
				d.Delete(replacement.Name)
				return tx.Roles.Delete(ctx, d)
			})
			return DeleteResult{Deleted: err == nil, Reassigned: reassigned}, err
		},
	})
}

// replacement returns the role that takes the place of the deleted one; zero for none.
func (tx Repos) replacement(ctx context.Context, caller access.Caller, book *role.Book, p DeleteParams) (role.Role, error) {
	if p.ReplaceWith == "" {
		return role.Role{}, nil
	}
	chosen, err := rolegrant.AllowIn(book, caller, p.ReplaceWith)
	switch {
	case err != nil && fault.From(err).Code == fault.Validation:
		return role.Role{}, fault.Unfit("/replace_with", "is not a role of the workspace: see ROLE.LIST")
	case err != nil:
		return role.Role{}, err
	case chosen.Key() == p.RoleID.String():
		return role.Role{}, errItself
	}
	after, err := book.Without(p.RoleID, chosen.Key())
	if err != nil {
		return role.Role{}, err
	}
	return chosen, tx.joinable(ctx, caller.Org, after, map[string]string{p.RoleID.String(): chosen.Key()})
}

// replace puts another role in the place of one that is to be deleted. It fails with
// errInUse where there is none, and it is used.
func (s *Service) replace(ctx context.Context, tx Repos, d *role.Definition, by role.Role) (int, error) {
	gone := d.Snapshot()
	if by.Name != "" {
		return tx.Roles.Replace(ctx, gone.OrgID, gone.ID.String(), by.Key())
	}
	used, err := tx.Roles.Used(ctx, gone.OrgID, gone.ID.String(), s.now())
	if err == nil && used {
		err = errInUse
	}
	return 0, err
}
