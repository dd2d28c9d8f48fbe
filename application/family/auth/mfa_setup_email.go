package auth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/mfa"
)

// MFASetupEmailResult is the result of AUTH.MFA_SETUP_EMAIL.
type MFASetupEmailResult struct {
	FactorID mfa.ID `json:"factor_id" doc:"ID of the second factor being enrolled."`
	Sent     bool   `json:"sent" doc:"Always true. The code is on its way."`
}

func (s *Service) mfaSetupEmail() command.Definition {
	return command.Define(command.Spec[command.None, MFASetupEmailResult]{
		Name:    "AUTH.MFA_SETUP_EMAIL",
		Summary: "Start enrolling emailed codes as a second factor.",
		Description: "Emails the first code to the address of your account. Confirm the enrollment within 15 minutes with AUTH.MFA_VERIFY, using your " +
			"access token.\n\n" +
			"Requires a sign-in within the last 15 minutes, with your second factor if you have one.\n\n" +
			"You also need a sign-in method other than email: a password, a passkey or a linked account.",
		Access: access.User().InPerson().Recent().Unfinished(),
		Effect: command.Outside,
		Limits: []limit.Spec{limit.PerHour(limit.User, mfa.MailsAnHour)},
		Emits:  []event.Kind{mfa.KindCodeSent},
		Handle: func(ctx context.Context, call command.Call, _ command.None) (MFASetupEmailResult, error) {
			id, err := s.Factors.SetUpMail(ctx, call.Caller)
			if err != nil {
				return MFASetupEmailResult{}, err
			}
			return MFASetupEmailResult{FactorID: id, Sent: true}, nil
		},
	})
}
