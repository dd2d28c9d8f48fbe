package auth

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// SocialLinkedResult is the result of AUTH.SOCIAL_LINKED.
type SocialLinkedResult struct {
	Items []LinkedAccount `json:"items" doc:"Your linked accounts, the first one linked first."`
}

// LinkedAccount is an account at a provider that lets you in here.
type LinkedAccount struct {
	Provider   string    `json:"provider" doc:"The provider." jsonschema:"example=github"`
	UpstreamID string    `json:"upstream_id" doc:"The provider's identifier of the account."`
	Email      string    `json:"email" doc:"Its address as the provider told it last; empty when it told none."`
	LinkedAt   time.Time `json:"linked_at" doc:"When it was linked."`
}

func (s *Service) socialLinked() command.Definition {
	return command.Define(command.Spec[command.None, SocialLinkedResult]{
		Name:    "AUTH.SOCIAL_LINKED",
		Summary: "The social accounts that are linked to yours.",
		Access:  access.User(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, _ command.None) (SocialLinkedResult, error) {
			found, err := s.Linked.Directory.OfUser(ctx, call.Caller.User)
			result := SocialLinkedResult{Items: []LinkedAccount{}}
			for _, one := range found {
				result.Items = append(result.Items, LinkedAccount{
					Provider: one.Upstream.Provider, UpstreamID: one.Upstream.ID, Email: one.Email.String(), LinkedAt: one.LinkedAt,
				})
			}
			return result, err
		},
	})
}
