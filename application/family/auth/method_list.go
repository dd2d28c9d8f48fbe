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
	Email email.Address `json:"email,omitzero" doc:"Whose login it is to be. What is answered says nothing about whether the address has an account."`
}

// MethodListResult is the result of AUTH.METHOD_LIST.
type MethodListResult struct {
	Methods            []string        `json:"methods" doc:"Ways to sign in: password is AUTH.LOGIN, passkey WEBAUTHN.LOGIN_OPTIONS, code and link AUTH.PASSWORDLESS_START, social SOCIAL.AUTH_URL."`
	Providers          []string        `json:"providers" doc:"Providers of social logins that are switched on."`
	PasswordPolicy     policy.Password `json:"password_policy" doc:"What a new password must fulfill, besides being uncommon and not its owner's address or name."`
	PublicRegistration bool            `json:"public_registration" doc:"Whether people may make accounts by themselves, by any of these ways; else administrators make them, or invite."`
}

func (s *Service) methodList() command.Definition {
	return command.Define(command.Spec[MethodListParams, MethodListResult]{
		Name:    "AUTH.METHOD_LIST",
		Summary: "The ways to sign in that are on offer; says nothing about any account.",
		Access:  access.Public(),
		Effect:  command.Reads,
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
