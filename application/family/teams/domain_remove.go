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
		Name:    "TEAM.DOMAIN_REMOVE",
		Summary: "Give up a domain: nobody joins by an address there any more, and others may verify it. Who joined stays.",
		Access:  access.Holding(writingDomains),
		Effect:  command.Writes,
		Emits:   []event.Kind{maildomain.KindRemoved},
		Handle: func(ctx context.Context, call command.Call, p DomainParams) (DomainRemoveResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				d, err := tx.Domains.ByID(ctx, call.Caller.Org, p.ID)
				if err != nil {
					return err
				}
				d.Remove()
				return tx.Domains.Delete(ctx, d)
			})
			return DomainRemoveResult{Removed: err == nil}, err
		},
	})
}
