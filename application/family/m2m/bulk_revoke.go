package m2m

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/m2m"
)

// BulkRevokeParams are the parameters of M2M.BULK_REVOKE.
type BulkRevokeParams struct {
	AppID        app.ID    `json:"app_id" doc:"ID of the app whose tokens to revoke. Its secrets stay valid: see APP.ROTATE_KEY."`
	IssuedBefore time.Time `json:"issued_before,omitzero" doc:"Revoke only tokens issued before this time. Omit, or use a future time, to revoke all tokens."`
}

// BulkRevokeResult is the result of M2M.BULK_REVOKE.
type BulkRevokeResult struct {
	RevokedCount int `json:"revoked_count" doc:"Number of active tokens that were revoked."`
}

func (s *Service) bulkRevoke() command.Definition {
	return command.Define(command.Spec[BulkRevokeParams, BulkRevokeResult]{
		Name:    "M2M.BULK_REVOKE",
		Summary: "Revoke all access tokens of an app.",
		Description: "Use this after a leak. The tokens are revoked immediately. With `issued_before`, only tokens issued before that time are revoked. The app " +
			"can get new tokens.",
		Access:    access.Holding("apps:write"),
		Effect:    command.Writes,
		Withdraws: true,
		Emits:     []event.Kind{m2m.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p BulkRevokeParams) (result BulkRevokeResult, err error) {
			err = s.Unit.Do(ctx, func(tx Repos) error {
				of, err := tx.Apps.ByID(ctx, p.AppID)
				if err != nil {
					return err
				}
				if !call.Caller.Sees(of.Org()) {
					return app.ErrNotFound
				}
				now := s.Clock.Now()
				before := p.IssuedBefore
				if before.IsZero() {
					before = now
				}
				result.RevokedCount, err = tx.Tokens.RevokeAll(ctx, p.AppID, before, now)
				if err != nil || result.RevokedCount == 0 {
					return err
				}
				return tx.Events.Record(ctx, m2m.RevokedData{AppID: p.AppID, OrgID: of.Org(), Count: result.RevokedCount})
			})
			return result, err
		},
	})
}
