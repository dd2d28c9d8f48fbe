package auth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
)

// MFASetupTOTPParams are the parameters of AUTH.MFA_SETUP_TOTP.
type MFASetupTOTPParams struct {
	Name mfa.Name `json:"name,omitzero" doc:"What to call the app in lists."`
}

// MFASetupTOTPResult is the result of AUTH.MFA_SETUP_TOTP.
type MFASetupTOTPResult struct {
	FactorID mfa.ID       `json:"factor_id" doc:"The factor that is being enrolled."`
	Secret   secret.Shown `json:"secret" doc:"The shared secret in base32 (RFC 6238: SHA-1, 6 digits, 30 seconds), to be typed into an app that reads no QR code."`
	URL      secret.Shown `json:"otpauth_url" doc:"The otpauth address that the QR code holds."`
	Picture  secret.Shown `json:"qr_png" doc:"The QR code as a data address, data:image/png;base64,..., of 256 pixels each way."`
}

func (s *Service) mfaSetupTOTP() command.Definition {
	return command.Define(command.Spec[MFASetupTOTPParams, MFASetupTOTPResult]{
		Name: "AUTH.MFA_SETUP_TOTP",
		Summary: "Begin to enroll an authenticator app as a second factor, in place of an enrollment that waits; AUTH.MFA_VERIFY with a bearer token confirms it within 15 minutes. " +
			"Needs a recent login, by the second factor where there is one.",
		Access: access.User().InPerson().Recent().Unfinished(),
		Effect: command.Writes,
		Handle: func(ctx context.Context, call command.Call, p MFASetupTOTPParams) (MFASetupTOTPResult, error) {
			made, err := s.Factors.SetUpApp(ctx, call.Caller, p.Name)
			return MFASetupTOTPResult{FactorID: made.ID, Secret: made.Secret, URL: made.URL, Picture: made.Picture}, err
		},
	})
}
