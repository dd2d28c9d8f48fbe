package auth

import (
	"context"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// ResetPasswordParams are the parameters of AUTH.RESET_PASSWORD.
type ResetPasswordParams struct {
	Token    secret.String `json:"token" doc:"What stands in the mailed link." jsonschema:"minLength=1,maxLength=256"`
	Password secret.String `json:"password" doc:"The new password: 8 to 256 characters, none of the common ones, not the address or name itself; the policies of all your workspaces hold. One that is refused leaves the token as it was." jsonschema:"minLength=8,maxLength=256"`
}

// ResetPasswordResult is the result of AUTH.RESET_PASSWORD.
type ResetPasswordResult struct {
	Reset           bool `json:"reset" doc:"Always true."`
	SessionsRevoked int  `json:"sessions_revoked" doc:"How many sessions of the account ended."`
}

func (s *Service) resetPassword() command.Definition {
	return command.Define(command.Spec[ResetPasswordParams, ResetPasswordResult]{
		Name: "AUTH.RESET_PASSWORD",
		Summary: "Set a new password by the mailed token: all sessions end, remembered devices are forgotten, a lock is lifted, the address counts as verified. " +
			"Where nobody had verified it before, passkeys, linked accounts and API keys of the account end too; second factors stay.",
		Access: access.Public(),
		Effect: command.Writes,
		Emits:  []event.Kind{credential.KindReset, session.KindRevoked, user.KindEmailVerified},
		Handle: func(ctx context.Context, _ command.Call, p ResetPasswordParams) (ResetPasswordResult, error) {
			revoked, err := s.Recovery.Reset(ctx, p.Token, p.Password)
			return ResetPasswordResult{Reset: err == nil, SessionsRevoked: revoked}, err
		},
	})
}
