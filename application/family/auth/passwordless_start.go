package auth

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/passwordless"
	"gatehouse.internal/application/signin/redirect"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/limit"
	outcome "gatehouse.internal/domain/login"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/secret"
)

// PasswordlessStartParams are the parameters of AUTH.PASSWORDLESS_START.
type PasswordlessStartParams struct {
	Email       email.Address       `json:"email" doc:"Address of the account. Without an invitation accounts are not made this way."`
	Method      passwordless.Method `json:"method,omitzero" doc:"What to mail; absent: a code." jsonschema:"enum=code,enum=link"`
	RedirectURI redirect.URI        `json:"redirect_uri,omitzero" doc:"With the method link: where it leads, with the token in its query; absent: to the login page of the service. It must be registered, character by character." example:"-"`
	Invitation  secret.String       `json:"invitation_token,omitzero" doc:"Token of an invitation that was mailed to the address: whoever signs in joins the workspace, an account is made where there is none, and public registration may be off." jsonschema:"minLength=1,maxLength=512" example:"-"`
}

// PasswordlessStartResult is the result of AUTH.PASSWORDLESS_START.
type PasswordlessStartResult struct {
	ChallengeID secret.Shown `json:"challenge_id" doc:"What AUTH.PASSWORDLESS_VERIFY takes with the code. With the method link the token of the link is all that it takes."`
	ExpiresIn   int          `json:"expires_in" doc:"Seconds until the login has to be begun again."`
}

func (s *Service) passwordlessStart() command.Definition {
	return command.Define(command.Spec[PasswordlessStartParams, PasswordlessStartResult]{
		Name: "AUTH.PASSWORDLESS_START",
		Summary: "Mail a one-time code or link to sign in by; answers the same for every address. Codes may be switched off (setting email_codes), " +
			"and wrong ones make an address wait for the next (RATE_LIMITED), from a minute up to 15; links do not wait.",
		Access:  access.Public(),
		Effect:  command.Outside,
		Through: maintenance.Closed,
		Limits:  []limit.Spec{limit.PerMinute(limit.IP, 60), limit.PerHour(limit.Email, 5)},
		Subject: func(_ context.Context, p PasswordlessStartParams) (command.Subject, error) {
			return byAddress(p.Email), nil
		},
		Emits: []event.Kind{outcome.KindCodeRequested, invitation.KindRevoked},
		Handle: func(ctx context.Context, _ command.Call, p PasswordlessStartParams) (PasswordlessStartResult, error) {
			if p.Method == "" {
				p.Method = passwordless.Code
			}
			begun, err := s.Passwordless.Start(ctx, passwordless.Start{Email: p.Email, Method: p.Method, RedirectURI: p.RedirectURI, Invitation: p.Invitation})
			return PasswordlessStartResult{ChallengeID: begun.Challenge, ExpiresIn: int(begun.Life / time.Second)}, err
		},
	})
}
