package auth

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/passwordless"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/policy"
)

// MethodListParams are the parameters of AUTH.METHOD_LIST.
type MethodListParams struct {
	Email email.Address `json:"email,omitzero" doc:"Email address of the person who wants to sign in. The answer does not reveal whether the address has an account."`
}

// MethodListResult is the result of AUTH.METHOD_LIST.
type MethodListResult struct {
	Methods            []string        `json:"methods" doc:"Available sign-in methods. password uses AUTH.LOGIN, passkey uses WEBAUTHN.LOGIN_OPTIONS, code and link use AUTH.PASSWORDLESS_START, and social uses SOCIAL.AUTH_URL."`
	Providers          []string        `json:"providers" doc:"Enabled sign-in providers."`
	PasswordPolicy     policy.Password `json:"password_policy" doc:"Requirements for new passwords. In addition, a password must not be a common one, nor its owner's email address or name."`
	PublicRegistration bool            `json:"public_registration" doc:"Whether people can create accounts themselves, by any of these methods. If false, administrators create or invite accounts."`
}

func (s *Service) methodList() command.Definition {
	return command.Define(command.Spec[MethodListParams, MethodListResult]{
		Name:        "AUTH.METHOD_LIST",
		Summary:     "List the available sign-in methods.",
		Description: "The answer describes the instance and reveals nothing about any account.",
		Access:      access.Public(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, _ command.Call, _ MethodListParams) (MethodListResult, error) {
			state := s.Instance.State()
			result := MethodListResult{
				Methods: []string{"password", "passkey", "code", "link"}, Providers: []string{},
				PasswordPolicy: state.Policies.Password, PublicRegistration: state.Settings.PublicRegistration,
			}
			if !state.Settings.EmailCodes {
				result.Methods = slices.DeleteFunc(result.Methods, func(m string) bool { return m == string(passwordless.Code) })
			}
			enabled, err := s.Providers.Enabled(ctx)
			if err != nil || len(enabled) == 0 {
				return result, err
			}
			result.Methods = append(result.Methods, "social")
			result.Providers = enabled
			return result, nil
		},
	})
}
