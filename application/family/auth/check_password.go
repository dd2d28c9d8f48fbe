package auth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/secret"
)

// CheckPasswordParams are the parameters of AUTH.CHECK_PASSWORD.
type CheckPasswordParams struct {
	Password secret.String `json:"password" doc:"Password to check. It is not stored." jsonschema:"minLength=1,maxLength=1024"`
	Email    email.Address `json:"email,omitzero" doc:"Email address of the account that the password is for. A password must not equal this address."`
}

// CheckPasswordResult is the result of AUTH.CHECK_PASSWORD.
type CheckPasswordResult struct {
	Acceptable bool     `json:"acceptable" doc:"Whether the password would be accepted."`
	Score      int      `json:"score" doc:"Strength from 0 (guessed at once) to 4 (very strong)."`
	Reasons    []string `json:"reasons" doc:"Reasons the password would be refused."`
}

func (s *Service) checkPassword() command.Definition {
	return command.Define(command.Spec[CheckPasswordParams, CheckPasswordResult]{
		Name:    "AUTH.CHECK_PASSWORD",
		Summary: "Check a password against the password policy.",
		Description: "Returns the strength of the password and the reasons it would be refused, without storing it. Use it before you submit a new " +
			"password.",
		Access: access.Public(),
		Effect: command.Reads,
		Handle: func(_ context.Context, _ command.Call, p CheckPasswordParams) (CheckPasswordResult, error) {
			owner := password.Owner{Email: p.Email.String()}
			strength, reasons := s.Passwords.Judge(p.Password, owner, s.Instance.State().Policies.Password)
			return CheckPasswordResult{
				Acceptable: len(reasons) == 0, Score: strength.Score, Reasons: append([]string{}, reasons...),
			}, nil
		},
	})
}
