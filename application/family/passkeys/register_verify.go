package passkeys

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/passkey"
)

// RegisterVerifyParams are the parameters of WEBAUTHN.REGISTER_VERIFY.
type RegisterVerifyParams struct {
	Credential Attestation  `json:"credential" doc:"Attestation that the browser produced, as returned by toJSON()."`
	Name       passkey.Name `json:"name,omitzero" doc:"Name of the passkey. Defaults to the name of the device."`
}

func (s *Service) registerVerify() command.Definition {
	return command.Define(command.Spec[RegisterVerifyParams, CredentialResult]{
		Name:    "WEBAUTHN.REGISTER_VERIFY",
		Summary: "Register a passkey.",
		Description: "Verifies the attestation and stores the passkey, for signing in without a password and as a second factor. A ceremony works " +
			"once, even if this call is refused.",
		Access:  access.User().InPerson().Recent().Unfinished(),
		Effect:  command.Writes,
		Guarded: true,
		Emits:   []event.Kind{passkey.KindRegistered},
		Handle: func(ctx context.Context, call command.Call, p RegisterVerifyParams) (CredentialResult, error) {
			given, err := text(p.Credential)
			if err != nil {
				return CredentialResult{}, err
			}
			made, err := s.Ceremonies.Register(ctx, call, given, p.Name)
			if err != nil {
				return CredentialResult{}, err
			}
			return CredentialResult{Credential: view.OfPasskey(made)}, nil
		},
	})
}
