package passkeys

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// RegisterOptionsResult is the result of WEBAUTHN.REGISTER_OPTIONS.
type RegisterOptionsResult struct {
	Options CreationOptions `json:"options" doc:"Options of the new passkey, for PublicKeyCredential.parseCreationOptionsFromJSON()."`
}

func (s *Service) registerOptions() command.Definition {
	return command.Define(command.Spec[command.None, RegisterOptionsResult]{
		Name: "WEBAUTHN.REGISTER_OPTIONS",
		Summary: "Begin to register a passkey of your own: what the browser makes of the options goes to WEBAUTHN.REGISTER_VERIFY within 5 minutes. " +
			"Needs a recent authentication; an account has at most 25 passkeys.",
		Access: access.User().InPerson().Recent().Unfinished(),
		Effect: command.Writes,
		Handle: func(ctx context.Context, call command.Call, _ command.None) (RegisterOptionsResult, error) {
			begun, err := s.Ceremonies.BeginRegistration(ctx, call.Caller)
			if err != nil {
				return RegisterOptionsResult{}, err
			}
			options, err := written(begun.Options)
			return RegisterOptionsResult{Options: CreationOptions(options)}, err
		},
	})
}
