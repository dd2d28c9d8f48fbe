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
	AppID app.ID `json:"app_id" doc:"The app."`
}

// DeleteResult is the result of APP.DELETE.
type DeleteResult struct {
	Deleted       bool `json:"deleted" doc:"Always true."`
	TokensRevoked int  `json:"tokens_revoked" doc:"How many live tokens of the app ended with it."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name: "APP.DELETE",
		Summary: "Delete an app with its secrets; its tokens end at once. " +
			"The slug stays with the workspace, which may give it to another app; that brings none of them back.",
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
