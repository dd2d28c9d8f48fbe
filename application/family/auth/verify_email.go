package auth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/recovery"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// VerifyEmailParams are the parameters of AUTH.VERIFY_EMAIL.
type VerifyEmailParams struct {
	Token    secret.String `json:"token" doc:"What stands in the mailed link." jsonschema:"minLength=1,maxLength=256"`
	Password secret.String `json:"password,omitzero" doc:"The password of the account. It may be left out, and is not needed with a session of the account; see bound." jsonschema:"minLength=1,maxLength=256"`
}

// VerifyEmailResult is the result of AUTH.VERIFY_EMAIL.
type VerifyEmailResult struct {
	Verified bool   `json:"verified" doc:"Always true."`
	Bound    bool   `json:"bound" doc:"Whether the account is known to be that of the address's owner, since a session of it that was not begun by mail alone, or its password, came with the link. Until then a mailed reset ends all that was set up before, and no login at a provider joins the account."`
	Email    string `json:"email" doc:"The address of the account now." jsonschema:"format=email"`
}

func (s *Service) verifyEmail() command.Definition {
	return command.Define(command.Spec[VerifyEmailParams, VerifyEmailResult]{
		Name: "AUTH.VERIFY_EMAIL",
		Summary: "Take a mailed token: the address of a new account is verified, or one that was asked for becomes that of the account. " +
			"With a session of the account or its password it is bound to the account too. A wrong password counts like a failed login, and leaves the token as it was.",
		Access:  access.Optional().Unproved(),
		Effect:  command.Writes,
		Guarded: true,
		Emits:   []event.Kind{user.KindEmailVerified, user.KindEmailChanged, credential.KindLocked, workspace.KindMemberAdded},
		Handle: func(ctx context.Context, call command.Call, p VerifyEmailParams) (VerifyEmailResult, error) {
			done, err := s.Recovery.Verify(ctx, recovery.Verification{Token: p.Token, Password: p.Password, Caller: call.Caller})
			return VerifyEmailResult{Verified: err == nil, Bound: done.Bound, Email: done.Email.String()}, err
		},
	})
}
