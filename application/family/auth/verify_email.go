package auth

import (
	"context"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

// VerifyEmailParams are the parameters of AUTH.VERIFY_EMAIL.
type VerifyEmailParams struct {
	Token secret.String `json:"token" doc:"What stands in the mailed link." jsonschema:"minLength=1,maxLength=256"`
}

// VerifyEmailResult is the result of AUTH.VERIFY_EMAIL.
type VerifyEmailResult struct {
	Verified bool   `json:"verified" doc:"Always true."`
	Email    string `json:"email" doc:"The address of the account now." jsonschema:"format=email"`
}

func (s *Service) verifyEmail() command.Definition {
	return command.Define(command.Spec[VerifyEmailParams, VerifyEmailResult]{
		Name:    "AUTH.VERIFY_EMAIL",
		Summary: "Take a mailed token: the address of a new account is verified, or one that was asked for becomes that of the account.",
		Access:  access.Public(),
		Effect:  command.Writes,
		Emits:   []event.Kind{user.KindEmailVerified, user.KindEmailChanged},
		Handle: func(ctx context.Context, _ command.Call, p VerifyEmailParams) (VerifyEmailResult, error) {
			address, err := s.Recovery.Verify(ctx, p.Token)
			return VerifyEmailResult{Verified: err == nil, Email: address.String()}, err
		},
	})
}
