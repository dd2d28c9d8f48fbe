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
	FactorID mfa.ID `json:"factor_id" doc:"The factor that is being enrolled."`
	Sent     bool   `json:"sent" doc:"Always true: the code is on its way."`
}

func (s *Service) mfaSetupEmail() command.Definition {
	return command.Define(command.Spec[command.None, MFASetupEmailResult]{
		Name: "AUTH.MFA_SETUP_EMAIL",
		Summary: "Begin to enroll codes by email as a second factor and mail the first one to the account's address; AUTH.MFA_VERIFY with a bearer token confirms it within 15 minutes. " +
			"Needs a recent login, by the second factor where there is one, and another way in than mail: a password, a passkey or a linked account.",
		Access: access.User().InPerson().Recent().Unfinished(),
		Effect: command.Outside,
		Limits: []limit.Spec{limit.PerHour(limit.User, mfa.MailsAnHour)},
		Emits:  []event.Kind{mfa.KindCodeSent},
		Handle: func(ctx context.Context, call command.Call, _ command.None) (MFASetupEmailResult, error) {
			id, err := s.Factors.SetUpMail(ctx, call.Caller)
			return MFASetupEmailResult{FactorID: id, Sent: err == nil}, err
		},
	})
}
