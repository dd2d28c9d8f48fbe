package teams

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

var errClosed = fault.New(fault.Denied, "only superadmins can create workspaces on this instance (setting workspace_creation)")

// CreateParams are the parameters of TEAM.CREATE.
type CreateParams struct {
	Name     workspace.Name `json:"name" doc:"Display name."`
	Slug     workspace.Slug `json:"slug,omitzero" doc:"Short name for use in links. Unique in the instance. Defaults to one derived from the name."`
	Metadata map[string]any `json:"metadata_json,omitzero" doc:"Application-defined metadata. At most 16 KiB and 8 levels deep. Numbers beyond ±9007199254740991 are rejected because they would be rounded; send them as strings."`
}

const createDescription = "Your active workspace does not change. The setting `workspace_creation` controls who can create workspaces, and " +
	"`max_workspaces_per_user` how many."

func (s *Service) create() command.Definition {
	return command.Define(command.Spec[CreateParams, OrganizationResult]{
		Name:        "TEAM.CREATE",
		Summary:     "Create a shared workspace, with you as its owner.",
		Description: createDescription,
		Access:      access.User().InPerson(),
		Effect:      command.Writes,
		Emits:       []event.Kind{workspace.KindCreated},
		Handle: func(ctx context.Context, call command.Call, p CreateParams) (OrganizationResult, error) {
			if s.Instance.State().Settings.WorkspaceCreation == setting.WorkspacesBySuperadmin && !call.Caller.Superadmin {
				return OrganizationResult{}, errClosed
			}
			var made *workspace.Workspace
			err := s.Unit.Do(ctx, func(tx Repos) error {
				if err := s.room(ctx, tx, call.Caller.User); err != nil {
					return err
				}
				var err error
				made, err = s.found(ctx, tx, call.Caller.User, p)
				return err
			})
			if err != nil {
				return OrganizationResult{}, err
			}
			return s.shown(ctx, made)
		},
	})
}

// room refuses somebody who owns all the workspaces that they may own.
func (s *Service) room(ctx context.Context, tx Repos, owner user.ID) error {
	owned, err := tx.CreationLimits.Owned(ctx, owner)
	if most := s.Instance.State().Settings.MaxWorkspaces; err == nil && owned >= most {
		return fault.New(fault.Validation, fmt.Sprintf(
			"workspace limit reached (%d): delete or transfer a workspace, or ask a superadmin to raise the setting max_workspaces_per_user", most))
	}
	return err
}

// found stores a workspace and its owner. Where a slug that was derived is taken
// meanwhile, the unit of work runs again.
func (s *Service) found(ctx context.Context, tx Repos, owner user.ID, p CreateParams) (*workspace.Workspace, error) {
	f := workspace.Draft{ID: workspace.NewID(s.IDs), Owner: owner, Name: string(p.Name), Slug: p.Slug, Metadata: p.Metadata}
	if f.Slug == "" {
		f.Slug = workspace.SlugOf(f.Name)
		taken, err := tx.CreationLimits.SlugTaken(ctx, f.Slug)
		if err != nil {
			return nil, err
		}
		if taken || f.Slug == "" {
			f.Slug = f.Slug.Apart(f.ID)
		}
	}
	now := s.Clock.Now()
	made, err := workspace.New(f, now)
	if err != nil {
		return nil, err
	}
	if err := tx.Workspaces.Save(ctx, made); err != nil {
		if p.Slug == "" && errors.Is(err, workspace.ErrSlugTaken) {
			err = aggregate.ErrConflict
		}
		return nil, err
	}
	return made, tx.Workspaces.SaveMember(ctx, workspace.Join(f.ID, owner, role.Owner, now))
}
