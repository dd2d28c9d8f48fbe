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
	outcome "gatehouse.internal/domain/login"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// LoginVerifyParams are the parameters of WEBAUTHN.LOGIN_VERIFY.
type LoginVerifyParams struct {
	Credential  Assertion    `json:"credential" doc:"The assertion that the browser produced, written by toJSON()."`
	ChallengeID string       `json:"challenge_id,omitzero" doc:"The ceremony; absent: the one whose challenge was signed. Another one is refused." jsonschema:"minLength=1,maxLength=128"`
	OrgID       workspace.ID `json:"org_id,omitzero" doc:"Workspace to enter; absent: the one last active, else the personal one. As a second factor, the login goes on into the workspace that it began for." example:"-"`
}

func (s *Service) loginVerify() command.Definition {
	return command.Define(command.Spec[LoginVerifyParams, login.Outcome]{
		Name: "WEBAUTHN.LOGIN_VERIFY",
		Summary: "Verify the assertion of a passkey and sign in, or end the login that it is the second factor of. " +
			"Whatever is wrong with the passkey or its account is told alike, and a ceremony works once, also when this refuses.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Through: maintenance.Closed,
		Trigger: flow.PasskeyLogin,
		Guarded: true,
		Emits: []event.Kind{
			outcome.KindSucceeded, outcome.KindFailed, session.KindCreated,
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
