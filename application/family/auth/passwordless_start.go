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
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/secret"
)

// PasswordlessStartParams are the parameters of AUTH.PASSWORDLESS_START.
type PasswordlessStartParams struct {
	Email       email.Address       `json:"email" doc:"Email address of the account. Accounts are created only with an invitation. With the method session, your own address."`
	Method      passwordless.Method `json:"method,omitzero" doc:"Sign-in method: an emailed code or link. The method session sends no email. It lets a program that you started, such as the command line, sign in with a session of its own. It requires your session, with a sign-in within the last 15 minutes. Defaults to code." jsonschema:"enum=code,enum=link,enum=session"`
	RedirectURI redirect.URI        `json:"redirect_uri,omitzero" doc:"Address that the link opens, with the token in its query. Used with the method link. It must match a registered redirect URL exactly. Defaults to the login page of this service." example:"-"`
	Challenge   string              `json:"code_challenge,omitzero" doc:"SHA-256 of the program's code verifier, in base64url (RFC 7636, S256). Required with the method session." jsonschema:"pattern=^[A-Za-z0-9_-]{43}$" example:"-"`
	Invitation  secret.String       `json:"invitation_token,omitzero" doc:"Token of an invitation that was emailed to the address. The person joins the workspace when they sign in. If they have no account, one is created, even if public registration is disabled." jsonschema:"minLength=1,maxLength=512" example:"-"`
}

// PasswordlessStartResult is the result of AUTH.PASSWORDLESS_START.
type PasswordlessStartResult struct {
	ChallengeID secret.Shown `json:"challenge_id" doc:"Challenge to pass to AUTH.PASSWORDLESS_VERIFY with the code. With the method link, only the token of the link is needed. With the method session, the token to give to the program."`
	ExpiresIn   int          `json:"expires_in" doc:"Seconds until the sign-in expires and has to be started again."`
}

func (s *Service) passwordlessStart() command.Definition {
	return command.Define(command.Spec[PasswordlessStartParams, PasswordlessStartResult]{
		Name:    "AUTH.PASSWORDLESS_START",
		Summary: "Send a one-time code or link to sign in with.",
		Description: "The answer is the same for every address. Complete the sign-in with AUTH.PASSWORDLESS_VERIFY.\n\n" +
			"Codes can be disabled on the instance by the setting `email_codes`. After too many wrong codes, an address has to wait for the " +
			"next code and gets the error `RATE_LIMITED`. The wait grows from 1 to 15 minutes. It does not apply to links.",
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
		Emits: []event.Kind{loginevent.KindCodeRequested, invitation.KindRevoked},
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
