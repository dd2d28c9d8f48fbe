package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/resource"
)

const domainVerifyDescription = "If the record is found, the domain is marked as verified. Afterwards, the record is checked daily. The owners receive an " +
	"email when it is missing, and after 7 days without it the domain is lost.\n\n" +
	"Other workspaces may have claimed audiences under the domain, such as `https://api.example.com`, by first use only. " +
	"Your workspace takes these audiences over, and their tokens are revoked."

func (s *Service) domainVerify() command.Definition {
	return command.Define(command.Spec[DomainParams, DomainResult]{
		Name:        "TEAM.DOMAIN_VERIFY",
		Summary:     "Verify an email domain by its DNS record.",
		Description: domainVerifyDescription,
		Access:      access.Holding(writingDomains).Recent(),
		Effect:      command.Outside,
		Emits:       []event.Kind{maildomain.KindVerified, resource.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p DomainParams) (DomainResult, error) {
			found, err := s.Domains.Find(ctx, call.Caller.Org, p.ID)
			if err != nil {
				return DomainResult{}, err
			}
			if err := s.Prover.Prove(ctx, found); err != nil {
				return DomainResult{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				d, err := tx.Domains.ByID(ctx, call.Caller.Org, p.ID)
				if err != nil {
					return err
				}
				d.Found(s.Clock.Now())
				found = d.Snapshot()
				if err := tx.Domains.Save(ctx, d); err != nil {
					return err
				}
				return tx.Audiences.TakeOver(ctx, found.Name, found.OrgID, s.now())
			})
			if err != nil {
				return DomainResult{}, err
			}
			return s.showDomain(ctx, found)
		},
	})
}
