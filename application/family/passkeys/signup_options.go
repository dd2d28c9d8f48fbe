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
	Email       email.Address    `json:"email" doc:"Address of the new account."`
	DisplayName user.DisplayName `json:"display_name" doc:"Name to show."`
	Invitation  secret.String    `json:"invitation_token,omitzero" doc:"Token of an invitation that was mailed to the address: the account joins the workspace, its address is verified, and public registration may be off." jsonschema:"minLength=1,maxLength=512"`
}

// SignupOptionsResult is the result of WEBAUTHN.SIGNUP_OPTIONS.
type SignupOptionsResult struct {
	Options     CreationOptions `json:"options" doc:"Options of the first passkey, for PublicKeyCredential.parseCreationOptionsFromJSON()."`
	ChallengeID string          `json:"challenge_id" doc:"Names the ceremony for WEBAUTHN.SIGNUP_VERIFY."`
}

func (s *Service) signupOptions() command.Definition {
	return command.Define(command.Spec[SignupOptionsParams, SignupOptionsResult]{
		Name: "WEBAUTHN.SIGNUP_OPTIONS",
		Summary: "Begin an account that has a passkey and no password: what the browser makes of the options goes to WEBAUTHN.SIGNUP_VERIFY within 5 minutes. " +
			"Nothing is stored of the account before, and nothing is told of whether the address is taken.",
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
