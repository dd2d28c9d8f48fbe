package passkeys

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// SignupVerifyParams are the parameters of WEBAUTHN.SIGNUP_VERIFY.
type SignupVerifyParams struct {
	ChallengeID string      `json:"challenge_id" doc:"ID of the ceremony, from WEBAUTHN.SIGNUP_OPTIONS." jsonschema:"minLength=1,maxLength=128"`
	Credential  Attestation `json:"credential" doc:"Attestation that the browser produced, as returned by toJSON()."`
}

// SignupVerifyResult is the result of WEBAUTHN.SIGNUP_VERIFY.
type SignupVerifyResult struct {
	User         view.User         `json:"user" doc:"The new account."`
	Organization view.Organization `json:"organization" doc:"Personal workspace of the new account."`
	login.Outcome
}

func (s *Service) signupVerify() command.Definition {
	return command.Define(command.Spec[SignupVerifyParams, SignupVerifyResult]{
		Name:        "WEBAUTHN.SIGNUP_VERIFY",
		Summary:     "Create an account with a passkey and sign in.",
		Description: "Creates the account with its personal workspace and its passkey. A ceremony works once, even if this call is refused.",
		Access:      access.Public(),
		Effect:      command.Writes,
		Trigger:     flow.Signup,
		Guarded:     true,
		Emits:       []event.Kind{user.KindCreated, workspace.KindCreated, passkey.KindRegistered, session.KindCreated, invitation.KindAccepted, invitation.KindRevoked, workspace.KindMemberAdded},
		Handle: func(ctx context.Context, call command.Call, p SignupVerifyParams) (SignupVerifyResult, error) {
			given, err := text(p.Credential)
			if err != nil {
				return SignupVerifyResult{}, err
			}
			joined, err := s.Ceremonies.SignUp(ctx, call, p.ChallengeID, given)
			if err != nil {
				return SignupVerifyResult{}, err
			}
			return SignupVerifyResult{
				User:         view.OfUser(joined.User, s.Clock.Now()),
				Organization: view.OfWorkspace(joined.Workspace),
				Outcome:      joined.Outcome,
			}, nil
		},
	})
}
