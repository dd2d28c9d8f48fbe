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
	Token    secret.String `json:"token" doc:"Token from the emailed link." jsonschema:"minLength=1,maxLength=256"`
	Password secret.String `json:"password,omitzero" doc:"Password of the account. Optional, and not needed with a session of the account. See bound." jsonschema:"minLength=1,maxLength=256"`
}

// VerifyEmailResult is the result of AUTH.VERIFY_EMAIL.
type VerifyEmailResult struct {
	Verified bool   `json:"verified" doc:"Always true."`
	Bound    bool   `json:"bound" doc:"Whether the account is known to belong to the owner of the address. This is so once the link is used with the account's password or with a session that was not started by email alone. Until then, a password reset by email ends everything set up before, and no sign-in at a provider joins the account."`
	Email    string `json:"email" doc:"Email address of the account after the call." jsonschema:"format=email"`
}

func (s *Service) verifyEmail() command.Definition {
	return command.Define(command.Spec[VerifyEmailParams, VerifyEmailResult]{
		Name:    "AUTH.VERIFY_EMAIL",
		Summary: "Verify an email address with an emailed token.",
		Description: "Verifies the address of a new account, or completes a requested change of address.\n\n" +
			"With a session of the account, or its password, the address is bound to the account too. A wrong password counts as a failed " +
			"sign-in and does not consume the token.",
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
