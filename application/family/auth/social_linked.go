package auth

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// SocialLinkedResult is the result of AUTH.SOCIAL_LINKED.
type SocialLinkedResult struct {
	Items []LinkedAccount `json:"items" doc:"Your linked accounts, oldest link first."`
}

// LinkedAccount is an account at a provider that lets you in here.
type LinkedAccount struct {
	Provider   string    `json:"provider" doc:"Provider of the linked account." jsonschema:"example=github"`
	UpstreamID string    `json:"upstream_id" doc:"The provider's ID of the account."`
	Email      string    `json:"email" doc:"Email address that the provider last reported. Empty if it reported none."`
	LinkedAt   time.Time `json:"linked_at" doc:"When the account was linked."`
}

func (s *Service) socialLinked() command.Definition {
	return command.Define(command.Spec[command.None, SocialLinkedResult]{
		Name:    "AUTH.SOCIAL_LINKED",
		Summary: "List your linked accounts at providers.",
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
