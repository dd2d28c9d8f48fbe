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
	OrgID       workspace.ID   `json:"org_id" doc:"The workspace; a personal one goes with its account."`
	ConfirmSlug workspace.Slug `json:"confirm_slug" doc:"Its slug, typed by whoever really means this workspace."`
}

// DeleteResult is the result of TEAM.DELETE.
type DeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name: "TEAM.DELETE",
		Summary: "Delete a workspace with all it owns, at once and for good: its apps, API keys and tokens end, and members go on in their personal workspaces. " +
			"Its slug is reserved for 30 days, those of its apps for good. JOB.LIST shows how a large one is cleared up. Refused while somebody buys of it.",
		Access:         access.Holding(deleting).Recent(),
		Effect:         command.Writes,
		EndsOwn:        func(access.Caller, DeleteParams) bool { return true },
		WhileSuspended: true,
		Emits:          []event.Kind{workspace.KindDeleted, job.KindCreated, license.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
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
				return s.orderEmptying(ctx, tx, call.Caller, w.ID())
			})
			return DeleteResult{Deleted: err == nil}, err
		},
	})
}
