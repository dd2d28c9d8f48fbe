package teams

import (
	"cmp"
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/role"
)

// DomainAddParams are the parameters of TEAM.DOMAIN_ADD.
type DomainAddParams struct {
	Domain   email.Domain `json:"domain" doc:"Domain whose DNS you control. Domains of public email providers and public suffixes are not accepted."`
	AutoJoin bool         `json:"auto_join,omitzero" doc:"Whether people with an address at the domain join the workspace when they sign in or verify the address. It takes effect once the domain is verified, and for addresses bound to the account."`
	Role     string       `json:"role,omitzero" doc:"Role that people join with. Defaults to member. It must grant neither more than you hold nor members:write or more." jsonschema:"minLength=1,maxLength=64,example=member"`
}

// DomainAddResult is the result of TEAM.DOMAIN_ADD.
type DomainAddResult struct {
	Domain    Domain    `json:"domain" doc:"The domain, not verified yet."`
	DNSRecord DNSRecord `json:"dns_record" doc:"DNS record to publish before you call TEAM.DOMAIN_VERIFY."`
}

const domainAddDescription = "The result has the DNS record that proves ownership. Publish it, then call `TEAM.DOMAIN_VERIFY`.\n\n" +
	"Several workspaces can claim the same domain. It belongs to the workspace that has it verified. A workspace can claim at " +
	"most 100 domains."

func (s *Service) domainAdd() command.Definition {
	return command.Define(command.Spec[DomainAddParams, DomainAddResult]{
		Name:        "TEAM.DOMAIN_ADD",
		Summary:     "Claim an email domain for the workspace.",
		Description: domainAddDescription,
		Access:      access.Holding(writingDomains).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{maildomain.KindAdded},
		Handle: func(ctx context.Context, call command.Call, p DomainAddParams) (DomainAddResult, error) {
			id, proof := maildomain.NewID(s.IDs), maildomain.NewProof(s.Random)
			var result DomainAddResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				book, err := rolegrant.Hold(ctx, tx.Books, call.Caller, call.Caller.Org)
				if err != nil {
					return err
				}
				key, err := joinedBy(book, call.Caller, cmp.Or(p.Role, role.Member))
				if err != nil {
					return err
				}
				made, err := maildomain.Claim(maildomain.Draft{
					ID: id, OrgID: call.Caller.Org, Name: p.Domain, Proof: proof, Rules: maildomain.Rules{AutoJoin: p.AutoJoin, Role: key},
				}, s.Clock.Now())
				if err != nil {
					return err
				}
				others, err := tx.Domains.OfWorkspace(ctx, call.Caller.Org)
				if err != nil {
					return err
				}
				if len(others) >= maildomain.MaxDomains {
					return maildomain.ErrTooMany
				}
				result.Domain = ofDomain(made.Snapshot(), book)
				result.DNSRecord = result.Domain.DNSRecord
				return tx.Domains.Save(ctx, made)
			})
			return result, err
		},
	})
}
