package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
)

// DomainListResult is the result of TEAM.DOMAIN_LIST.
type DomainListResult struct {
	Items []Domain `json:"items" doc:"All domains that the workspace claims, sorted by name."`
}

func (s *Service) domainList() command.Definition {
	return command.Define(command.Spec[command.None, DomainListResult]{
		Name:        "TEAM.DOMAIN_LIST",
		Summary:     "List the email domains that the workspace claims.",
		Description: "Each domain shows whether it is verified.",
		Access:      access.Holding(readingDomains),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, _ command.None) (DomainListResult, error) {
			book, err := s.Books.Now(ctx, call.Caller.Org)
			if err != nil {
				return DomainListResult{}, err
			}
			claimed, err := s.Domains.List(ctx, call.Caller.Org)
			if err != nil {
				return DomainListResult{}, err
			}
			listed := DomainListResult{Items: make([]Domain, len(claimed))}
			for i, one := range claimed {
				listed.Items[i] = ofDomain(one, book)
			}
			return listed, nil
		},
	})
}
