package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/resource"
)

func (s *Service) domainVerify() command.Definition {
	return command.Define(command.Spec[DomainParams, DomainResult]{
		Name: "TEAM.DOMAIN_VERIFY",
		Summary: "Look the record of a domain up in DNS, and mark the domain verified where it stands there. " +
			"It is looked for daily from then on; the owners get a mail when it is missing, and after 7 days without it the domain is lost. " +
			"Audiences under it (https://api.example.com) that others have by first use alone become the workspace's; their tokens end.",
		Access: access.Holding(writingDomains).Recent(),
		Effect: command.Outside,
		Emits:  []event.Kind{maildomain.KindVerified, resource.KindUpdated},
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
