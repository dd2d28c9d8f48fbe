package passkeys

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/passkey"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

// SignupOptionsParams are the parameters of WEBAUTHN.SIGNUP_OPTIONS.
type SignupOptionsParams struct {
	Email       email.Address    `json:"email" doc:"Email address of the new account."`
	DisplayName user.DisplayName `json:"display_name" doc:"Display name of the person."`
	Invitation  secret.String    `json:"invitation_token,omitzero" doc:"Token of an invitation that was emailed to the address. The account joins the workspace and its address becomes verified. Works even if public registration is disabled." jsonschema:"minLength=1,maxLength=512"`
}

// SignupOptionsResult is the result of WEBAUTHN.SIGNUP_OPTIONS.
type SignupOptionsResult struct {
	Options     CreationOptions `json:"options" doc:"Options of the first passkey, for PublicKeyCredential.parseCreationOptionsFromJSON()."`
	ChallengeID string          `json:"challenge_id" doc:"ID of the ceremony, for WEBAUTHN.SIGNUP_VERIFY."`
}

func (s *Service) signupOptions() command.Definition {
	return command.Define(command.Spec[SignupOptionsParams, SignupOptionsResult]{
		Name:    "WEBAUTHN.SIGNUP_OPTIONS",
		Summary: "Start creating an account with a passkey and no password.",
		Description: "Pass what the browser creates from the options to WEBAUTHN.SIGNUP_VERIFY within 5 minutes. Until then nothing is stored about " +
			"the account. The answer does not reveal whether the address is taken.",
		Access: access.Public(),
		Effect: command.Writes,
		Emits:  []event.Kind{invitation.KindRevoked},
		Handle: func(ctx context.Context, _ command.Call, p SignupOptionsParams) (SignupOptionsResult, error) {
			begun, err := s.Ceremonies.BeginSignup(ctx, passkey.Newcomer{Email: p.Email, DisplayName: p.DisplayName, Invitation: p.Invitation})
			if err != nil {
				return SignupOptionsResult{}, err
			}
			options, err := written(begun.Options)
			return SignupOptionsResult{Options: CreationOptions(options), ChallengeID: begun.ID}, err
		},
	})
}
