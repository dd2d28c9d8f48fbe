package passkeys

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// RegisterOptionsResult is the result of WEBAUTHN.REGISTER_OPTIONS.
type RegisterOptionsResult struct {
	Options CreationOptions `json:"options" doc:"Options for PublicKeyCredential.parseCreationOptionsFromJSON()."`
}

func (s *Service) registerOptions() command.Definition {
	return command.Define(command.Spec[command.None, RegisterOptionsResult]{
		Name:    "WEBAUTHN.REGISTER_OPTIONS",
		Summary: "Start registering a passkey for your account.",
		Description: "Pass what the browser creates from the options to WEBAUTHN.REGISTER_VERIFY within 5 minutes. An account has at most 25 passkeys.\n\n" +
			"Requires a sign-in within the last 15 minutes, with your second factor if you have one.",
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
