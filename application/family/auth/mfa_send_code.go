package auth

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
)

// mailsAChallenge is how many codes may be mailed for one challenge.
const mailsAChallenge = 5

// MFASendCodeParams are the parameters of AUTH.MFA_SEND_CODE.
type MFASendCodeParams struct {
	ChallengeToken secret.String `json:"challenge_token" doc:"Challenge token returned by the sign-in." jsonschema:"minLength=1,maxLength=4096"`
	Method         string        `json:"method,omitzero" doc:"Delivery method. Email is the only one." jsonschema:"enum=email"`
}

// MFASendCodeResult is the result of AUTH.MFA_SEND_CODE.
type MFASendCodeResult struct {
	Sent      bool `json:"sent" doc:"Always true. The new code replaces any code sent earlier."`
	ExpiresIn int  `json:"expires_in" doc:"Seconds until the code and its challenge expire."`
}

func (s *Service) mfaSendCode() command.Definition {
	return command.Define(command.Spec[MFASendCodeParams, MFASendCodeResult]{
		Name:        "AUTH.MFA_SEND_CODE",
		Summary:     "Email a one-time code for a second-factor challenge.",
		Description: "The code goes to the email address of the account. An account can be sent at most 10 codes an hour, over all challenges.",
		Access:      access.Public(),
		Effect:      command.Outside,
		Through:     maintenance.Closed,
		Limits:      []limit.Spec{limit.PerMinute(limit.IP, 60), limit.PerMinute(limit.Token, mailsAChallenge)},
		Subject: func(_ context.Context, p MFASendCodeParams) (command.Subject, error) {
			return command.Subject{Counted: challenge.Digest(p.ChallengeToken.Reveal())}, nil
		},
		Emits: []event.Kind{mfa.KindCodeSent},
		Handle: func(ctx context.Context, _ command.Call, p MFASendCodeParams) (MFASendCodeResult, error) {
			left, err := s.Factors.Mail(ctx, p.ChallengeToken)
			return MFASendCodeResult{Sent: err == nil, ExpiresIn: int(left / time.Second)}, err
		},
	})
}
