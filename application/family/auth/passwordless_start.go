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
	Email       email.Address       `json:"email" doc:"Address of the account. Without an invitation accounts are not made this way. With the method session: your own address."`
	Method      passwordless.Method `json:"method,omitzero" doc:"What to sign in by: an emailed code or link. The method session emails nothing: it lets a program that you started, such as the command line, sign in with a session of its own. It needs your session, with a sign-in within the last 15 minutes. Defaults to code." jsonschema:"enum=code,enum=link,enum=session"`
	RedirectURI redirect.URI        `json:"redirect_uri,omitzero" doc:"With the method link: where it leads, with the token in its query; absent: to the login page of the service. It must be registered, character by character." example:"-"`
	Challenge   string              `json:"code_challenge,omitzero" doc:"SHA-256 of the program's code verifier, in base64url (RFC 7636, S256). Required with the method session." jsonschema:"pattern=^[A-Za-z0-9_-]{43}$" example:"-"`
	Invitation  secret.String       `json:"invitation_token,omitzero" doc:"Token of an invitation that was mailed to the address: whoever signs in joins the workspace, an account is made where there is none, and public registration may be off." jsonschema:"minLength=1,maxLength=512" example:"-"`
}

// PasswordlessStartResult is the result of AUTH.PASSWORDLESS_START.
type PasswordlessStartResult struct {
	ChallengeID secret.Shown `json:"challenge_id" doc:"What AUTH.PASSWORDLESS_VERIFY takes with the code. With the method link, the token of the link is all that it takes. With the method session: the token to hand to the program."`
	ExpiresIn   int          `json:"expires_in" doc:"Seconds until the login has to be begun again."`
}

func (s *Service) passwordlessStart() command.Definition {
	return command.Define(command.Spec[PasswordlessStartParams, PasswordlessStartResult]{
		Name: "AUTH.PASSWORDLESS_START",
		Summary: "Mail a one-time code or link to sign in by; answers the same for every address. Codes may be switched off (setting email_codes), " +
			"and wrong ones make an address wait for the next (RATE_LIMITED), from a minute up to 15; links do not wait.",
		Access:  access.Optional().Recent(),
		Recent:  func(p PasswordlessStartParams) bool { return p.Method == passwordless.Session },
		Effect:  command.Outside,
		Through: maintenance.Closed,
		Limits:  []limit.Spec{limit.PerMinute(limit.IP, 60), limit.PerHour(limit.Email, 5)},
		Subject: func(_ context.Context, p PasswordlessStartParams) (command.Subject, error) {
			if p.Method == passwordless.Session {
				return command.Subject{}, nil // Nothing is mailed, and no stranger uses the limit up.
			}
			return byAddress(p.Email), nil
		},
		Emits: []event.Kind{outcome.KindCodeRequested, invitation.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p PasswordlessStartParams) (PasswordlessStartResult, error) {
			if p.Method == "" {
				p.Method = passwordless.Code
			}
			begun, err := s.Passwordless.Start(ctx, call.Caller, passwordless.Start{
				Email: p.Email, Method: p.Method, RedirectURI: p.RedirectURI, Challenge: p.Challenge, Invitation: p.Invitation,
			})
			return PasswordlessStartResult{ChallengeID: begun.Challenge, ExpiresIn: int(begun.Life / time.Second)}, err
		},
	})
}
