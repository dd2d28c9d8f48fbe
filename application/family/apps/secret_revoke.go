package apps

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
)

// SecretRevokeParams are the parameters of APP.SECRET_REVOKE.
type SecretRevokeParams struct {
	AppID    app.ID       `json:"app_id" doc:"The app."`
	SecretID app.SecretID `json:"secret_id" doc:"The secret, as APP.GET lists it."`
}

// SecretRevokeResult is the result of APP.SECRET_REVOKE.
type SecretRevokeResult struct {
	Revoked bool `json:"revoked" doc:"Always true."`
}

func (s *Service) secretRevoke() command.Definition {
	return command.Define(command.Spec[SecretRevokeParams, SecretRevokeResult]{
		Name: "APP.SECRET_REVOKE",
		Summary: "End one secret of an app now, also within its overlap; without its last one the app cannot sign in by a secret " +
			"until APP.ROTATE_KEY. Tokens got with it live on: M2M.BULK_REVOKE ends those.",
		Access:    access.Holding(write),
		Effect:    command.Writes,
		Withdraws: true,
		Emits:     []event.Kind{app.KindSecretRevoked},
		Handle: func(ctx context.Context, call command.Call, p SecretRevokeParams) (SecretRevokeResult, error) {
			_, err := s.changed(ctx, call.Caller, p.AppID, func(a *app.App) error {
				return a.RevokeSecret(p.SecretID, s.Clock.Now())
			})
			return SecretRevokeResult{Revoked: err == nil}, err
		},
	})
}
