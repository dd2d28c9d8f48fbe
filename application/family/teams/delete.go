package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/job"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/workspace"
)

// deleting is the permission to delete a workspace.
const deleting = "teams:delete"

// DeleteParams are the parameters of TEAM.DELETE.
type DeleteParams struct {
	OrgID       workspace.ID   `json:"org_id" doc:"ID of the workspace. A personal workspace is deleted only with its account."`
	ConfirmSlug workspace.Slug `json:"confirm_slug" doc:"Slug of the workspace, to confirm the deletion."`
}

// DeleteResult is the result of TEAM.DELETE.
type DeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

const deleteDescription = "- Its apps, API keys and tokens stop working.\n" +
	"- Members continue in their personal workspaces.\n" +
	"- Its slug stays reserved for 30 days. The slugs of its apps stay reserved permanently.\n" +
	"- A job removes the data of a large workspace. Follow it with `JOB.LIST`.\n\n" +
	"You cannot delete a workspace while it has open checkouts, or sells subscriptions that have not ended. A canceled subscription " +
	"counts until it ends."

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:           "TEAM.DELETE",
		Summary:        "Delete a workspace with everything it owns, immediately and permanently.",
		Description:    deleteDescription,
		Access:         access.Holding(deleting).Recent(),
		Effect:         command.Writes,
		EndsOwn:        func(access.Caller, DeleteParams) bool { return true },
		WhileSuspended: true,
		Emits:          []event.Kind{workspace.KindDeleted, job.KindCreated, license.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error { return s.deleteIn(ctx, tx, call.Caller, p) })
			if err != nil {
				return DeleteResult{}, err
			}
			return DeleteResult{Deleted: true}, nil
		},
	})
}

func (s *Service) deleteIn(ctx context.Context, tx Repos, by access.Caller, p DeleteParams) error {
	w, err := tx.Workspaces.ByID(ctx, p.OrgID)
	if err != nil {
		return err
	}
	if err := w.Delete(p.ConfirmSlug); err != nil {
		return err
	}
	if err := tx.Owners.Revoke(ctx, license.Owner{OrgID: w.ID()}); err != nil {
		return err
	}
	if err := tx.Owners.Cancel(ctx, license.Owner{OrgID: w.ID()}); err != nil {
		return err
	}
	if err := tx.Deletions.Delete(ctx, w); err != nil {
		return err
	}
	return s.orderEmptying(ctx, tx, by, w.ID())
}
