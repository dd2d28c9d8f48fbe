package passkeys

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/signin/passkey"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// LoginVerifyParams are the parameters of WEBAUTHN.LOGIN_VERIFY.
type LoginVerifyParams struct {
	Credential  Assertion    `json:"credential" doc:"Assertion that the browser produced, as returned by toJSON()."`
	ChallengeID string       `json:"challenge_id,omitzero" doc:"ID of the ceremony. Another ceremony than the signed one is refused. Defaults to the ceremony whose challenge was signed." jsonschema:"minLength=1,maxLength=128"`
	OrgID       workspace.ID `json:"org_id,omitzero" doc:"Workspace to sign in to. Defaults to the last active workspace, else the personal one. As a second factor, the sign-in continues in the workspace it started with." example:"-"`
}

func (s *Service) loginVerify() command.Definition {
	return command.Define(command.Spec[LoginVerifyParams, login.Outcome]{
		Name:    "WEBAUTHN.LOGIN_VERIFY",
		Summary: "Sign in with a passkey.",
		Description: "Verifies the assertion and signs in, or completes the sign-in that the passkey is the second factor of.\n\n" +
			"All problems with the passkey or its account return the same error. A ceremony works once, even if this call is refused.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Through: maintenance.Closed,
		Trigger: flow.PasskeyLogin,
		Guarded: true,
		Emits: []event.Kind{
			loginevent.KindSucceeded, loginevent.KindFailed, session.KindCreated,
			mfa.KindSucceeded, mfa.KindFailed, session.KindReauthenticated, session.KindTeamSwitched, identity.KindLinked,
			invitation.KindAccepted, workspace.KindMemberAdded, user.KindEmailVerified,
		},
		Handle: func(ctx context.Context, call command.Call, p LoginVerifyParams) (login.Outcome, error) {
			given, err := text(p.Credential)
			if err != nil {
				return login.Outcome{}, err
			}
			return s.Ceremonies.Enter(ctx, call, passkey.Answer{Credential: given, ID: p.ChallengeID, Org: p.OrgID})
		},
	})
}
