package auth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/user"
)

// ResendVerificationParams are the parameters of AUTH.RESEND_VERIFICATION.
type ResendVerificationParams struct {
	Email email.Address `json:"email" doc:"Email address of the account."`
}

func (s *Service) resendVerification() command.Definition {
	return command.Define(command.Spec[ResendVerificationParams, SentResult]{
		Name:        "AUTH.RESEND_VERIFICATION",
		Summary:     "Resend the verification email for an address.",
		Description: "The link works once, for one day. The answer is the same for every address.",
		Access:      access.Public(),
		Effect:      command.Outside,
		Limits:      []limit.Spec{limit.PerMinute(limit.IP, 60), limit.PerHour(limit.Email, 3)},
		Subject: func(_ context.Context, p ResendVerificationParams) (command.Subject, error) {
			return byAddress(p.Email), nil
		},
		Emits: []event.Kind{user.KindVerificationRequested},
		Handle: func(ctx context.Context, _ command.Call, p ResendVerificationParams) (SentResult, error) {
			if err := s.Recovery.RequestVerification(ctx, p.Email); err != nil {
				return SentResult{}, err
			}
			return SentResult{Sent: true}, nil
		},
	})
}
