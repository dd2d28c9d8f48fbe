package users

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/social"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/user"
)

// IdentityUnlinkParams are the parameters of USER.IDENTITY_UNLINK.
type IdentityUnlinkParams struct {
	UserID     user.ID     `json:"user_id" doc:"ID of the account."`
	IdentityID identity.ID `json:"identity_id" doc:"ID of the linked account to unlink, from USER.IDENTITY_LIST."`
}

// IdentityUnlinkResult is the result of USER.IDENTITY_UNLINK.
type IdentityUnlinkResult struct {
	Unlinked bool `json:"unlinked" doc:"Always true."`
}

func (s *Service) identityUnlink() command.Definition {
	return command.Define(command.Spec[IdentityUnlinkParams, IdentityUnlinkResult]{
		Name:        "USER.IDENTITY_UNLINK",
		Summary:     "Unlink a provider account from an account.",
		Description: "You cannot unlink the account's only sign-in method. Set a password first, or disable the account.",
		Access:      access.Holding(manage).Recent(),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{identity.KindUnlinked},
		Handle: func(ctx context.Context, call command.Call, p IdentityUnlinkParams) (IdentityUnlinkResult, error) {
			on, err := s.Providers.Enabled(ctx)
			if err != nil {
				return IdentityUnlinkResult{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				if _, err := account.Managed(ctx, tx.Users, call.Caller, p.UserID); err != nil {
					return err
				}
				unlinking := social.UnlinkRepos{Identities: tx.Identities, LoginMethods: tx.LoginMethods, Challenges: tx.Challenges, Providers: on}
				return unlinking.Unlink(ctx, p.UserID, func(i identity.Snapshot) bool { return i.ID == p.IdentityID })
			})
			if err != nil {
				return IdentityUnlinkResult{}, err
			}
			return IdentityUnlinkResult{Unlinked: true}, nil
		},
	})
}
