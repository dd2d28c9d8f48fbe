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
	Name mfa.Name `json:"name,omitzero" doc:"Name of the authenticator app in lists."`
}

// MFASetupTOTPResult is the result of AUTH.MFA_SETUP_TOTP.
type MFASetupTOTPResult struct {
	FactorID mfa.ID       `json:"factor_id" doc:"ID of the second factor being enrolled."`
	Secret   secret.Shown `json:"secret" doc:"Shared secret in base32 (RFC 6238: SHA-1, 6 digits, 30 seconds), for typing into an app that cannot scan the QR code."`
	URL      secret.Shown `json:"otpauth_url" doc:"The otpauth URL encoded in the QR code."`
	Picture  secret.Shown `json:"qr_png" doc:"QR code as a data URL (data:image/png;base64,...), 256 by 256 pixels."`
}

func (s *Service) mfaSetupTOTP() command.Definition {
	return command.Define(command.Spec[MFASetupTOTPParams, MFASetupTOTPResult]{
		Name:    "AUTH.MFA_SETUP_TOTP",
		Summary: "Start enrolling an authenticator app as a second factor.",
		Description: "Confirm the enrollment within 15 minutes with AUTH.MFA_VERIFY, using your access token. It replaces an enrollment that is still " +
			"unconfirmed.\n\n" +
			"Requires a sign-in within the last 15 minutes, with your second factor if you have one.",
		Access: access.User().InPerson().Recent().Unfinished(),
		Effect: command.Writes,
		Handle: func(ctx context.Context, call command.Call, p MFASetupTOTPParams) (MFASetupTOTPResult, error) {
			made, err := s.Factors.SetUpApp(ctx, call.Caller, p.Name)
			return MFASetupTOTPResult{FactorID: made.ID, Secret: made.Secret, URL: made.URL, Picture: made.Picture}, err
		},
	})
}
