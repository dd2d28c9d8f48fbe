package permissions

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/role"
)

// DeleteParams are the parameters of PERMISSION.DELETE.
type DeleteParams struct {
	Permission role.OwnName `json:"permission" doc:"Custom permission of the workspace."`
}

// DeleteResult is the result of PERMISSION.DELETE.
type DeleteResult struct {
	Deleted      bool `json:"deleted" doc:"Always true."`
	RolesChanged int  `json:"roles_changed" doc:"Number of roles that the permission was removed from."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:        "PERMISSION.DELETE",
		Summary:     "Delete a custom permission.",
		Description: "The permission is also removed from the roles that carry it. You must hold everything that those roles grant.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{role.KindPermissionDeleted},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			changed, org := 0, call.Caller.Org
			err := s.Unit.Do(ctx, func(tx Repos) error {
				book, err := rolegrant.Hold(ctx, tx.Books, call.Caller, org)
				if err != nil {
					return err
				}
				own, err := tx.Own.ByName(ctx, org, p.Permission)
				if err != nil {
					return err
				}
				if err := withdrawable(call.Caller, book, string(p.Permission)); err != nil {
					return err
				}
				if changed, err = tx.Roles.Withdraw(ctx, org, string(p.Permission)); err != nil {
					return err
				}
				own.Delete()
				return tx.Own.Delete(ctx, own)
			})
			return DeleteResult{Deleted: err == nil, RolesChanged: changed}, err
		},
	})
}

// withdrawable fails with rolegrant.ErrExceeds where a role carries a permission that
// grants more than the caller holds: nobody takes from such a role.
func withdrawable(caller access.Caller, book *role.Book, permission string) error {
	for _, r := range book.Roles() {
		if !r.Builtin && r.Direct.Cover(permission) {
			if err := rolegrant.Covers(caller, r.Permissions); err != nil {
				return err
			}
		}
	}
	return nil
}
