package passkeys

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/passkey"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/secret"
)

var errTwoLogins = fault.Invalid("/challenge_token", "provide either email or challenge_token, not both")

// LoginOptionsParams are the parameters of WEBAUTHN.LOGIN_OPTIONS.
type LoginOptionsParams struct {
	Email          email.Address `json:"email,omitzero" doc:"Email address of the account whose passkey must be used. Omit to accept any passkey that the browser finds. The answer does not depend on it."`
	ChallengeToken secret.String `json:"challenge_token,omitzero" doc:"Token of a sign-in that is waiting for a second factor. The passkeys of its account are offered." jsonschema:"minLength=1,maxLength=256" example:"-"`
}

// LoginOptionsResult is the result of WEBAUTHN.LOGIN_OPTIONS.
type LoginOptionsResult struct {
	Options     RequestOptions `json:"options" doc:"Options for PublicKeyCredential.parseRequestOptionsFromJSON()."`
	ChallengeID string         `json:"challenge_id" doc:"ID of the ceremony. Optional in WEBAUTHN.LOGIN_VERIFY."`
}

func (s *Service) loginOptions() command.Definition {
	return command.Define(command.Spec[LoginOptionsParams, LoginOptionsResult]{
		Name:    "WEBAUTHN.LOGIN_OPTIONS",
		Summary: "Start a sign-in with a passkey.",
		Description: "The passkey replaces the password, or is the second factor of an open challenge. Pass what the browser signs to " +
			"WEBAUTHN.LOGIN_VERIFY within 5 minutes.\n\n" +
			"Without `challenge_token`, the options name no passkeys, so they reveal nothing about any account. The browser finds the " +
			"passkeys itself, also for its autofill.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Through: maintenance.Closed,
		Handle: func(ctx context.Context, _ command.Call, p LoginOptionsParams) (LoginOptionsResult, error) {
			begun, err := s.beginLogin(ctx, p)
			if err != nil {
				return LoginOptionsResult{}, err
			}
			options, err := written(begun.Options)
			return LoginOptionsResult{Options: RequestOptions(options), ChallengeID: begun.ID}, err
		},
	})
}

func (s *Service) beginLogin(ctx context.Context, p LoginOptionsParams) (passkey.Ceremony, error) {
	switch {
	case p.ChallengeToken.Empty():
		return s.Ceremonies.BeginLogin(ctx, p.Email)
	case p.Email.IsZero():
		return s.Ceremonies.BeginSecondFactor(ctx, p.ChallengeToken)
	default:
		return passkey.Ceremony{}, errTwoLogins
	}
}
