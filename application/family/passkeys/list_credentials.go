package passkeys

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/user"
)

// ListCredentialsParams are the parameters of WEBAUTHN.LIST_CREDENTIALS.
type ListCredentialsParams struct {
	UserID user.ID `json:"user_id,omitzero" doc:"User whose passkeys to list. Other users require the permission users:manage. Defaults to you."`
}

// ListCredentialsResult is the result of WEBAUTHN.LIST_CREDENTIALS.
type ListCredentialsResult struct {
	Items []view.Passkey `json:"items" doc:"Passkeys, newest first. At most 25."`
}

func (s *Service) listCredentials() command.Definition {
	return command.Define(command.Spec[ListCredentialsParams, ListCredentialsResult]{
		Name:    "WEBAUTHN.LIST_CREDENTIALS",
		Summary: "List passkeys.",
		Description: "Lists your own passkeys with name, last use and backup state. With the permission `users:manage`, you can list those of another " +
			"user.",
		Access: access.Anybody(),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListCredentialsParams) (ListCredentialsResult, error) {
			owner, err := account.Whose(ctx, s.Users, call.Caller, p.UserID)
			if err != nil {
				return ListCredentialsResult{}, err
			}
			found, err := s.Directory.List(ctx, owner)
			if err != nil {
				return ListCredentialsResult{}, err
			}
			items := make([]view.Passkey, len(found))
			for i, one := range found {
				items[i] = view.OfPasskey(one)
			}
			return ListCredentialsResult{Items: items}, nil
		},
	})
}
