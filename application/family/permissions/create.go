package permissions

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/granting"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

// CreateParams are the parameters of PERMISSION.CREATE.
type CreateParams struct {
	Permission  role.OwnName `json:"permission" doc:"The permission, resource:action in lower case. The resource is none of this service's; the action may be *, which is every action on it."`
	Description string       `json:"description,omitzero" doc:"What it permits." jsonschema:"maxLength=500"`
}

// CreateResult is the result of PERMISSION.CREATE.
type CreateResult struct {
	Permission Permission `json:"permission" doc:"The permission as PERMISSION.LIST shows it."`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, CreateResult]{
		Name: "PERMISSION.CREATE",
		Summary: "Define a permission for your own application, so that roles of the workspace can carry it; a workspace has at most 500. " +
			"Owners hold it at once; they put it into roles for others.",
		Access: access.Holding(writing),
		Effect: command.Writes,
		Emits:  []event.Kind{role.KindPermissionCreated},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (CreateResult, error) {
			org := call.Caller.Org
			err := s.Unit.Do(ctx, func(tx Repos) error {
				book, err := granting.Hold(ctx, tx.Books, call.Caller, org)
				if err != nil {
					return err
				}
				if len(book.Own()) >= workspace.MaxPermissions {
					return role.ErrTooManyOwn
				}
				return tx.Own.Save(ctx, role.Invent(role.OwnSnapshot{
					OrgID: org, Name: p.Permission, Description: p.Description, CreatedAt: s.Clock.Now().Truncate(time.Microsecond),
				}))
			})
			return CreateResult{Permission: showOwn(access.Permission{Name: string(p.Permission), Description: p.Description})}, err
		},
	})
}
