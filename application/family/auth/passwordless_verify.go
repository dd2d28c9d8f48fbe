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
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

var errOneAnswer = fault.Invalid("", "provide either token, or challenge_id and code")

// PasswordlessVerifyParams are the parameters of AUTH.PASSWORDLESS_VERIFY.
type PasswordlessVerifyParams struct {
	ChallengeID secret.String `json:"challenge_id,omitzero" doc:"Challenge returned by AUTH.PASSWORDLESS_START. Used with code." jsonschema:"minLength=1,maxLength=256"`
	Code        secret.String `json:"code,omitzero" doc:"The emailed code. The fifth wrong code ends the sign-in. The fifth wrong code for an address within an hour starts pauses in which no code is checked." jsonschema:"minLength=1,maxLength=64"`
	Token       secret.String `json:"token,omitzero" doc:"Token used in place of challenge_id and code: from an emailed link, from USER.TICKET_CREATE for login or mfa_enroll, or from AUTH.PASSWORDLESS_START with the method session." jsonschema:"minLength=1,maxLength=256" example:"-"`
	Verifier    secret.String `json:"code_verifier,omitzero" doc:"The secret behind the code_challenge (RFC 7636). Required with a token of the method session." jsonschema:"minLength=43,maxLength=128" example:"-"`
	OrgID       workspace.ID  `json:"org_id,omitzero" doc:"Workspace to sign in to. Defaults to the last active workspace, else the personal one." example:"-"`
}

func (s *Service) passwordlessVerify() command.Definition {
	return command.Define(command.Spec[PasswordlessVerifyParams, login.Outcome]{
		Name:    "AUTH.PASSWORDLESS_VERIFY",
		Summary: "Sign in with an emailed code or link.",
		Description: "Returns a token pair, or a challenge for AUTH.MFA_VERIFY if a second factor is needed. The email address becomes verified.\n\n" +
			"If the address was never verified before, everything set up on the account until then ends:\n\n" +
			"- the password, sessions, passkeys, second factors and linked accounts\n" +
			"- API keys and OAuth grants\n" +
			"- credentials of others for the personal workspace",
		Access:     access.Public(),
		Effect:     command.Writes,
		Through:    maintenance.Closed,
		Trigger:    flow.Login,
		SpikeGuard: true,
		Guarded:    true,
		Emits: append(account.EndedKinds(),
			loginevent.KindSucceeded, loginevent.KindFailed, session.KindCreated, user.KindEmailVerified, mfa.KindChallenged,
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
