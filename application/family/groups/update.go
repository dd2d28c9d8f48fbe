package groups

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

// UpdateParams are the parameters of GROUP.UPDATE.
type UpdateParams struct {
	GroupID     group.ID         `json:"group_id" doc:"ID of the group."`
	Name        *workspace.Label `json:"name,omitzero" doc:"Name of the group. Unique in the workspace, case-insensitive."`
	Description *string          `json:"description,omitzero" doc:"Purpose of the group." jsonschema:"maxLength=500"`
	ExternalID  *externalID      `json:"external_id,omitzero" doc:"ID of the group in another system. Unique in the workspace. Pass an empty string to remove it."`
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:        "GROUP.UPDATE",
		Summary:     "Update the name, description or external ID of a group.",
		Description: "Omitted fields keep their values.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{group.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (Result, error) {
			return s.change(ctx, call.Caller, p.GroupID, func(_ *role.Book, g *group.Group) error {
				g.Update(group.Change{Name: p.Name, Description: p.Description, ExternalID: (*string)(p.ExternalID)}, s.now())
				return nil
			})
		},
	})
}

// change changes a group, and stores it unless nothing changed.
func (s *Service) change(
	ctx context.Context, caller access.Caller, id group.ID, change func(*role.Book, *group.Group) error,
) (result Result, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		book, g, err := held(ctx, tx, caller, id)
		if err != nil {
			return err
		}
		if err := change(book, g); err != nil {
			return err
		}
		result.Group = show(book, g.Snapshot())
		if !g.Changed() {
			return nil
		}
		return tx.Groups.Save(ctx, g)
	})
	return result, err
}

// held reads a group of the caller's workspace, whose book is held. It fails with
// group.ErrNotFound.
func held(ctx context.Context, tx Repos, caller access.Caller, id group.ID) (*role.Book, *group.Group, error) {
	book, err := rolegrant.Hold(ctx, tx.Books, caller, caller.Org)
	if err != nil {
		return nil, nil, err
	}
	g, err := tx.Groups.ByID(ctx, caller.Org, id)
	return book, g, err
}

// covers fails with rolegrant.ErrExceeds where a group grants more than a caller holds.
func covers(caller access.Caller, book *role.Book, g *group.Group) error {
	return rolegrant.Covers(caller, book.Granted(g.Snapshot().Roles))
}
