package auth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/social"
)

// SocialUnlinkParams are the parameters of AUTH.SOCIAL_UNLINK.
type SocialUnlinkParams struct {
	Provider social.Provider `json:"provider" doc:"Provider of the account to unlink."`
}

// SocialUnlinkResult is the result of AUTH.SOCIAL_UNLINK.
type SocialUnlinkResult struct {
	Unlinked bool `json:"unlinked" doc:"Always true."`
}

func (s *Service) socialUnlink() command.Definition {
	return command.Define(command.Spec[SocialUnlinkParams, SocialUnlinkResult]{
		Name:        "AUTH.SOCIAL_UNLINK",
		Summary:     "Unlink an account at a provider from your account.",
		Description: "You cannot unlink the last sign-in method of your account.",
		Access:      access.User().InPerson().Recent(),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{identity.KindUnlinked},
		Handle: func(ctx context.Context, call command.Call, p SocialUnlinkParams) (SocialUnlinkResult, error) {
			if err := s.Linked.Social.Unlink(ctx, call.Caller.User, func(i identity.Snapshot) bool { return i.Upstream.Provider == string(p.Provider) }); err != nil {
				return SocialUnlinkResult{}, err
			}
			return SocialUnlinkResult{Unlinked: true}, nil
		},
	})
}
