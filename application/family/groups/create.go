package groups

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/workspace"
)

// CreateParams are the parameters of GROUP.CREATE.
type CreateParams struct {
	Name        workspace.Label `json:"name" doc:"Name of the group. Unique in the workspace, case-insensitive."`
	Description string          `json:"description,omitzero" doc:"Purpose of the group." jsonschema:"maxLength=500"`
	ExternalID  externalID      `json:"external_id,omitzero" doc:"ID of the group in another system. Unique in the workspace."`
	Roles       []string        `json:"roles,omitzero" doc:"Names of the roles that every member of the group holds. You must hold everything that they grant." jsonschema:"maxItems=50,uniqueItems=true,minLength=1,maxLength=64,example=member"`
}

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, Result]{
		Name:        "GROUP.CREATE",
		Summary:     "Create a group of members in the workspace.",
		Description: "A workspace can have at most 1,000 groups.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{group.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (result Result, err error) {
			id, org := group.NewID(s.IDs), call.Caller.Org
			err = s.Unit.Do(ctx, func(tx Repos) error {
				book, err := rolegrant.Hold(ctx, tx.Books, call.Caller, org)
				if err != nil {
					return err
				}
				roles, err := rolegrant.AllowAll(call.Caller, book, p.Roles, "/roles")
				if err != nil {
					return err
				}
				count, err := tx.Groups.Count(ctx, org)
				if err != nil {
					return err
				}
				if count >= workspace.MaxGroups {
					return group.ErrTooMany
				}
				made := group.Form(group.Draft{
					ID: id, OrgID: org, Name: p.Name, Description: p.Description, ExternalID: string(p.ExternalID), Roles: roles,
				}, s.now())
				result.Group = show(book, made.Snapshot())
				return tx.Groups.Save(ctx, made)
			})
			return result, err
		},
	})
}
