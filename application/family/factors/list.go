package factors

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/user"
)

// ListParams are the parameters of MFA.LIST.
type ListParams struct {
	UserID user.ID `json:"user_id,omitzero" doc:"User whose second factors to list. Other users require the permission users:manage. Defaults to you."`
}

// ListResult is the result of MFA.LIST.
type ListResult struct {
	Items             []view.Factor `json:"items" doc:"Second factors, in the order in which enrollment began. Passkeys are listed by WEBAUTHN.LIST_CREDENTIALS."`
	RecoveryCodesLeft int           `json:"recovery_codes_left" doc:"Number of unused recovery codes."`
	Required          bool          `json:"required" doc:"Whether a policy requires a second factor from the user."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:    "MFA.LIST",
		Summary: "List second factors.",
		Description: "Returns your enrolled second factors and the number of recovery codes left. With the permission `users:manage`, you can list " +
			"those of another user.",
		Access: access.Anybody(),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (ListResult, error) {
			whose, err := account.Whose(ctx, s.Users, call.Caller, p.UserID)
			if err != nil {
				return ListResult{}, err
			}
			held, err := s.Directory.Of(ctx, whose)
			if err != nil {
				return ListResult{}, err
			}
			policies, err := s.Policies.OfUser(ctx, whose)
			return ListResult{
				Items: view.OfFactors(held), RecoveryCodesLeft: len(held.Recovery), Required: policies.MFA.Required,
			}, err
		},
	})
}
