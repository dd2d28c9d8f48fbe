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
	AppID    app.ID       `json:"app_id" doc:"ID of the app."`
	SecretID app.SecretID `json:"secret_id" doc:"ID of the secret, from APP.GET."`
}

// SecretRevokeResult is the result of APP.SECRET_REVOKE.
type SecretRevokeResult struct {
	Revoked bool `json:"revoked" doc:"Always true."`
}

const secretRevokeDescription = "The secret is revoked immediately, even during an overlap. Without its last secret, the app cannot authenticate by secret until you call " +
	"APP.ROTATE_KEY.\n\n" +
	"Tokens obtained with the secret stay valid. Revoke them with M2M.BULK_REVOKE."

func (s *Service) secretRevoke() command.Definition {
	return command.Define(command.Spec[SecretRevokeParams, SecretRevokeResult]{
		Name:        "APP.SECRET_REVOKE",
		Summary:     "Revoke one of an app's client secrets.",
		Description: secretRevokeDescription,
		Access:      access.Holding(write),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{app.KindSecretRevoked},
		Handle: func(ctx context.Context, call command.Call, p SecretRevokeParams) (SecretRevokeResult, error) {
			_, err := s.changed(ctx, call.Caller, p.AppID, func(a *app.App) error {
				return a.RevokeSecret(p.SecretID, s.Clock.Now())
			})
			if err != nil {
				return SecretRevokeResult{}, err
			}
			return SecretRevokeResult{Revoked: true}, nil
		},
	})
}
