package apps

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/m2m"
)

// DeleteParams are the parameters of APP.DELETE.
type DeleteParams struct {
	AppID app.ID `json:"app_id" doc:"ID of the app to delete."`
}

// DeleteResult is the result of APP.DELETE.
type DeleteResult struct {
	Deleted       bool `json:"deleted" doc:"Always true."`
	TokensRevoked int  `json:"tokens_revoked" doc:"Number of active tokens that were revoked."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:    "APP.DELETE",
		Summary: "Delete an app and its secrets.",
		Description: "All tokens of the app are revoked immediately.\n\n" +
			"The slug stays reserved for the workspace, which can use it for another app. The tokens of the deleted app stay revoked even then.",
		Access: access.Holding(write),
		Effect: command.Writes,
		Emits:  []event.Kind{app.KindDeleted, m2m.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			var ended int
			err := s.Unit.Do(ctx, func(tx Repos) error {
				target, err := own(ctx, tx, call.Caller, p.AppID)
				if err != nil {
					return err
				}
				now := s.Clock.Now()
				if ended, err = tx.Tokens.RevokeAll(ctx, p.AppID, now, now); err != nil {
					return err
				}
				target.Delete()
				if err := tx.Apps.Delete(ctx, target); err != nil || ended == 0 {
					return err
				}
				return tx.Events.Record(ctx, m2m.RevokedData{AppID: p.AppID, OrgID: target.Org(), Count: ended})
			})
			return DeleteResult{Deleted: err == nil, TokensRevoked: ended}, err
		},
	})
}
