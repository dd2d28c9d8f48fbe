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
	Email email.Address `json:"email" doc:"Address of the account."`
}

// SentResult is the result of a command that asks for a mail.
type SentResult struct {
	Sent bool `json:"sent" doc:"Always true, whether the address has an account or not."`
}

func (s *Service) forgotPassword() command.Definition {
	return command.Define(command.Spec[ForgotPasswordParams, SentResult]{
		Name:    "AUTH.FORGOT_PASSWORD",
		Summary: "Mail a link to set a new password, which works once, for 30 minutes; answers the same for every address.",
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
			err := s.Recovery.RequestReset(ctx, p.Email)
			return SentResult{Sent: err == nil}, err
		},
	})
}

// byAddress counts a call by the address that it names, however that is spelled.
func byAddress(address email.Address) command.Subject {
	return command.Subject{Counted: address.Folded()}
}
