package auth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/limit"
)

// ForgotPasswordParams are the parameters of AUTH.FORGOT_PASSWORD.
type ForgotPasswordParams struct {
	Email email.Address `json:"email" doc:"Email address of the account."`
}

// SentResult is the result of a command that asks for a mail.
type SentResult struct {
	Sent bool `json:"sent" doc:"Always true, whether or not the address has an account."`
}

func (s *Service) forgotPassword() command.Definition {
	return command.Define(command.Spec[ForgotPasswordParams, SentResult]{
		Name:    "AUTH.FORGOT_PASSWORD",
		Summary: "Send a password reset email.",
		Description: "The link works once, for 30 minutes. Pass its token to AUTH.RESET_PASSWORD.\n\n" +
			"The answer is the same for every address, so it does not reveal whether an account exists.",
		Access:  access.Public(),
		Effect:  command.Outside,
		Trigger: flow.PasswordReset,
		Quiet:   true,
		Limits:  []limit.Spec{limit.PerMinute(limit.IP, 60), limit.PerHour(limit.Email, 3)},
		Subject: func(_ context.Context, p ForgotPasswordParams) (command.Subject, error) {
			return byAddress(p.Email), nil
		},
		Emits: []event.Kind{credential.KindResetRequested},
		Handle: func(ctx context.Context, _ command.Call, p ForgotPasswordParams) (SentResult, error) {
			if err := s.Recovery.RequestReset(ctx, p.Email); err != nil {
				return SentResult{}, err
			}
			return SentResult{Sent: true}, nil
		},
	})
}

// byAddress counts a call by the address that it names, however that is spelled.
func byAddress(address email.Address) command.Subject {
	return command.Subject{Counted: address.Folded()}
}
