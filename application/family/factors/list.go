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
	UserID user.ID `json:"user_id,omitzero" doc:"Whose; absent: your own. Those of others need users:manage."`
}

// ListResult is the result of MFA.LIST.
type ListResult struct {
	Items             []view.Factor `json:"items" doc:"The factors, in the order in which their enrollment began; passkeys stand in WEBAUTHN.LIST_CREDENTIALS."`
	RecoveryCodesLeft int           `json:"recovery_codes_left" doc:"How many recovery codes are unused."`
	Required          bool          `json:"required" doc:"Whether a policy asks the person for a second factor."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:    "MFA.LIST",
		Summary: "The enrolled second factors of the caller, or with users:manage of anybody, and how many recovery codes are left.",
		Access:  access.Anybody(),
		Effect:  command.Reads,
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
