package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/maildomain"
)

// DomainRemoveResult is the result of TEAM.DOMAIN_REMOVE.
type DomainRemoveResult struct {
	Removed bool `json:"removed" doc:"Always true."`
}

func (s *Service) domainRemove() command.Definition {
	return command.Define(command.Spec[DomainParams, DomainRemoveResult]{
		Name:        "TEAM.DOMAIN_REMOVE",
		Summary:     "Remove an email domain from the workspace.",
		Description: "People no longer join by an address at the domain, and other workspaces can verify it. Existing members stay.",
		Access:      access.Holding(writingDomains),
		Effect:      command.Writes,
		Emits:       []event.Kind{maildomain.KindRemoved},
		Handle: func(ctx context.Context, call command.Call, p DomainParams) (DomainRemoveResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				d, err := tx.Domains.ByID(ctx, call.Caller.Org, p.ID)
				if err != nil {
					return err
				}
				d.Remove()
				return tx.Domains.Delete(ctx, d)
			})
			if err != nil {
				return DomainRemoveResult{}, err
			}
			return DomainRemoveResult{Removed: true}, nil
		},
	})
}
