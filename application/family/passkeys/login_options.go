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

var errTwoLogins = fault.Invalid("/challenge_token", "give either the address or the login that waits: the login knows whose it is")

// LoginOptionsParams are the parameters of WEBAUTHN.LOGIN_OPTIONS.
type LoginOptionsParams struct {
	Email          email.Address `json:"email,omitzero" doc:"Address of the account whose passkey is to be taken; absent: any passkey that the browser finds. Nothing in the answer depends on it."`
	ChallengeToken secret.String `json:"challenge_token,omitzero" doc:"Token of a login that waits for a second factor: its account's passkeys are offered." jsonschema:"minLength=1,maxLength=256" example:"-"`
}

// LoginOptionsResult is the result of WEBAUTHN.LOGIN_OPTIONS.
type LoginOptionsResult struct {
	Options     RequestOptions `json:"options" doc:"Options of the login, for PublicKeyCredential.parseRequestOptionsFromJSON()."`
	ChallengeID string         `json:"challenge_id" doc:"Names the ceremony; WEBAUTHN.LOGIN_VERIFY may be given it."`
}

func (s *Service) loginOptions() command.Definition {
	return command.Define(command.Spec[LoginOptionsParams, LoginOptionsResult]{
		Name: "WEBAUTHN.LOGIN_OPTIONS",
		Summary: "Begin a login by passkey, without a password or as the second factor of an open challenge: what the browser signs goes to WEBAUTHN.LOGIN_VERIFY within 5 minutes. " +
			"Without a password no passkeys are named, so that nothing is told of any account; the browser finds them, also for its autofill.",
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

func (s *Service) beginLogin(ctx context.Context, p LoginOptionsParams) (passkey.Begun, error) {
	switch {
	case p.ChallengeToken.Empty():
		return s.Ceremonies.BeginLogin(ctx, p.Email)
	case p.Email.IsZero():
		return s.Ceremonies.BeginSecondFactor(ctx, p.ChallengeToken)
	default:
		return passkey.Begun{}, errTwoLogins
	}
}
