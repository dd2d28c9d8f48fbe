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
	Token    secret.String `json:"token" doc:"Token from the emailed link." jsonschema:"minLength=1,maxLength=256"`
	Password secret.String `json:"password" doc:"New password. It must not be a common one, nor the email address or name itself, and must meet the policies of all your workspaces. A refused password does not consume the token." jsonschema:"minLength=8,maxLength=256"`
}

// ResetPasswordResult is the result of AUTH.RESET_PASSWORD.
type ResetPasswordResult struct {
	Reset bool `json:"reset" doc:"Always true."`

	account.Ended

	Remaining []Remaining `json:"remaining" doc:"Credentials and apps that still work. Remove any that you did not set up."`
}

// Remaining is something that a reset leaves.
type Remaining struct {
	Kind  recovery.RemainingKind `json:"kind" doc:"Kind of credential: a passkey, a linked account at a provider, a key registered for DPoP, or an app of the personal workspace." jsonschema:"enum=passkey,enum=identity,enum=dpop_key,enum=app"`
	ID    string                 `json:"id" doc:"ID of the credential or app."`
	Name  string                 `json:"name" doc:"Name of the credential or app. For a linked account, the provider."`
	EndBy string                 `json:"end_by" doc:"Command that removes it." jsonschema:"example=WEBAUTHN.REVOKE"`
}

func (s *Service) resetPassword() command.Definition {
	return command.Define(command.Spec[ResetPasswordParams, ResetPasswordResult]{
		Name:    "AUTH.RESET_PASSWORD",
		Summary: "Set a new password with a reset token.",
		Description: "The reset has these effects:\n\n" +
			"- All sessions, API keys, OAuth grants and pending sign-ins end.\n" +
			"- Remembered devices are forgotten, and a lock on the account is lifted.\n" +
			"- The email address becomes verified and bound to the account.\n" +
			"- For 24 hours, emailed codes do not count as a second factor if the account has another one.\n\n" +
			"If the address was not bound before (see AUTH.VERIFY_EMAIL), passkeys, second factors and linked accounts end too. So do " +
			"credentials of others for the personal workspace.",
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
