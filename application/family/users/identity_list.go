package users

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// IdentityListParams are the parameters of USER.IDENTITY_LIST.
type IdentityListParams struct {
	UserID user.ID `json:"user_id" doc:"ID of the account."`
}

// IdentityListResult is the result of USER.IDENTITY_LIST.
type IdentityListResult struct {
	Items []view.Identity `json:"items" doc:"Linked accounts, oldest link first."`
}

func (s *Service) identityList() command.Definition {
	return command.Define(command.Spec[IdentityListParams, IdentityListResult]{
		Name:    "USER.IDENTITY_LIST",
		Summary: "List the provider accounts linked to an account.",
		Access:  access.Holding(manage),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, _ command.Call, p IdentityListParams) (IdentityListResult, error) {
			if _, err := s.Directory.Find(ctx, people.UserKey{ID: p.UserID}); err != nil {
				return IdentityListResult{}, err
			}
			found, err := s.Identities.OfUser(ctx, p.UserID)
			result := IdentityListResult{Items: []view.Identity{}}
			for _, one := range found {
				result.Items = append(result.Items, view.OfIdentity(one))
			}
			return result, err
		},
	})
}
