package permissions

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

// CreateParams are the parameters of PERMISSION.CREATE.
type CreateParams struct {
	Permission  role.OwnName `json:"permission" doc:"Permission as resource:action, in lower case. The resource must not be one of Gatehouse. Use * as the action to allow every action on the resource."`
	Description string       `json:"description,omitzero" doc:"Description of the permission." jsonschema:"maxLength=500"`
}

// CreateResult is the result of PERMISSION.CREATE.
type CreateResult struct {
	Permission Permission `json:"permission" doc:"The permission, as in PERMISSION.LIST."`
}

const createDescription = "Roles of the workspace can then grant it. Owners hold it immediately and can add it to the roles of others.\n\n" +
	"A workspace can have at most 500 custom permissions."

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, CreateResult]{
		Name:        "PERMISSION.CREATE",
		Summary:     "Create a custom permission for your own application.",
		Description: createDescription,
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{role.KindPermissionCreated},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (CreateResult, error) {
			org := call.Caller.Org
			err := s.Unit.Do(ctx, func(tx Repos) error {
				book, err := rolegrant.Hold(ctx, tx.Books, call.Caller, org)
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
