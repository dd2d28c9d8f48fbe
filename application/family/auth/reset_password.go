package auth

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/recovery"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

// ResetPasswordParams are the parameters of AUTH.RESET_PASSWORD.
type ResetPasswordParams struct {
	Token    secret.String `json:"token" doc:"What stands in the mailed link." jsonschema:"minLength=1,maxLength=256"`
	Password secret.String `json:"password" doc:"The new password: 8 to 256 characters, none of the common ones, not the address or name itself; the policies of all your workspaces hold. One that is refused leaves the token as it was." jsonschema:"minLength=8,maxLength=256"`
}

// ResetPasswordResult is the result of AUTH.RESET_PASSWORD.
type ResetPasswordResult struct {
	Reset bool `json:"reset" doc:"Always true."`

	account.Ended

	Remaining []Remaining `json:"remaining" doc:"Credentials and apps that still work. Remove those that you did not set up."`
}

// Remaining is something that a reset leaves.
type Remaining struct {
	Kind  recovery.RemainingKind `json:"kind" doc:"What it is: a passkey, a linked account at a provider, a key registered for DPoP, or an app of the personal workspace." jsonschema:"enum=passkey,enum=identity,enum=dpop_key,enum=app"`
	ID    string                 `json:"id" doc:"Its identifier."`
	Name  string                 `json:"name" doc:"What it is called; of an account at a provider, the provider."`
	EndBy string                 `json:"end_by" doc:"The command that ends it." jsonschema:"example=WEBAUTHN.REVOKE"`
}

func (s *Service) resetPassword() command.Definition {
	return command.Define(command.Spec[ResetPasswordParams, ResetPasswordResult]{
		Name: "AUTH.RESET_PASSWORD",
		Summary: "Set a new password by the mailed token: all sessions, API keys, OAuth grants and sign-ins under way end, remembered devices are forgotten, a lock is lifted, the address counts as verified and bound. " +
			"Where it was not bound before (AUTH.VERIFY_EMAIL), passkeys, second factors and linked accounts end too, and what others could act by in the personal workspace. " +
			"For 24 hours codes by email are no second factor where there is another one.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Trigger: flow.PasswordReset,
		Emits:   append(account.EndedKinds(), credential.KindReset, user.KindEmailVerified),
		Handle: func(ctx context.Context, _ command.Call, p ResetPasswordParams) (ResetPasswordResult, error) {
			done, err := s.Recovery.Reset(ctx, p.Token, p.Password)
			if err != nil {
				return ResetPasswordResult{}, err
			}
			result := ResetPasswordResult{Reset: true, Ended: done.Ended, Remaining: []Remaining{}}
			for _, one := range done.Remaining {
				result.Remaining = append(result.Remaining, Remaining(one))
			}
			return result, nil
		},
	})
}
