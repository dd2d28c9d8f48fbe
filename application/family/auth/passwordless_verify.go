package auth

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/invitation"
	outcome "gatehouse.internal/domain/login"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

var errOneAnswer = fault.Invalid("", "give challenge_id and code, or token alone")

// PasswordlessVerifyParams are the parameters of AUTH.PASSWORDLESS_VERIFY.
type PasswordlessVerifyParams struct {
	ChallengeID secret.String `json:"challenge_id,omitzero" doc:"What AUTH.PASSWORDLESS_START answered; goes with code." jsonschema:"minLength=1,maxLength=256"`
	Code        secret.String `json:"code,omitzero" doc:"The code that was mailed; the fifth wrong one ends the login, and the fifth for its address within an hour begins pauses in which none is looked at." jsonschema:"minLength=1,maxLength=64"`
	Token       secret.String `json:"token,omitzero" doc:"In place of both: the token of a link that was mailed, made by USER.TICKET_CREATE for login or mfa_enroll, or answered by AUTH.PASSWORDLESS_START for the method session." jsonschema:"minLength=1,maxLength=256" example:"-"`
	Verifier    secret.String `json:"code_verifier,omitzero" doc:"The secret behind the code_challenge (RFC 7636). Required with a token of the method session." jsonschema:"minLength=43,maxLength=128" example:"-"`
	OrgID       workspace.ID  `json:"org_id,omitzero" doc:"Workspace to enter; absent: the one last active, else the personal one." example:"-"`
}

func (s *Service) passwordlessVerify() command.Definition {
	return command.Define(command.Spec[PasswordlessVerifyParams, login.Outcome]{
		Name: "AUTH.PASSWORDLESS_VERIFY",
		Summary: "Sign in by the code or link that was mailed: tokens, or a challenge for the second factor. The address counts as verified; " +
			"where nobody had verified it before, what was set up until then ends: password, sessions, passkeys, second factors, linked accounts, API keys, OAuth grants, and what others could act by in the personal workspace.",
		Access:     access.Public(),
		Effect:     command.Writes,
		Through:    maintenance.Closed,
		Trigger:    flow.Login,
		SpikeGuard: true,
		Guarded:    true,
		Emits: append(account.EndedKinds(),
			outcome.KindSucceeded, outcome.KindFailed, session.KindCreated, user.KindEmailVerified, mfa.KindChallenged,
			user.KindCreated, workspace.KindCreated, invitation.KindAccepted, invitation.KindRevoked, workspace.KindMemberAdded,
		),
		Handle: func(ctx context.Context, call command.Call, p PasswordlessVerifyParams) (login.Outcome, error) {
			byCode := !p.ChallengeID.Empty() && !p.Code.Empty() && p.Token.Empty() && p.Verifier.Empty()
			byLink := p.ChallengeID.Empty() && p.Code.Empty() && !p.Token.Empty()
			switch {
			case byLink && !p.Verifier.Empty():
				return s.Passwordless.BySession(ctx, call, p.Token, p.Verifier, p.OrgID)
			case byCode:
				return s.Passwordless.ByCode(ctx, call, p.ChallengeID, p.Code, p.OrgID)
			case byLink:
				return s.Passwordless.ByLink(ctx, call, p.Token, p.OrgID)
			}
			return login.Outcome{}, errOneAnswer
		},
	})
}
