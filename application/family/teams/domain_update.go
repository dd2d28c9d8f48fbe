package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/role"
)

// DomainUpdateParams are the parameters of TEAM.DOMAIN_UPDATE.
type DomainUpdateParams struct {
	DomainParams

	AutoJoin   *bool  `json:"auto_join,omitzero" doc:"Whether people with an address at the domain join the workspace when they sign in or verify the address. It takes effect once the domain is verified, and for addresses bound to the account."`
	Role       string `json:"role,omitzero" doc:"Role that people join with. It must grant neither more than you hold nor members:write or more." jsonschema:"minLength=1,maxLength=64,example=member"`
	RequireSSO *bool  `json:"require_sso,omitzero" doc:"Whether people with an address at the domain must use single sign-on. It takes effect once the workspace has a connection."`
}

func (s *Service) domainUpdate() command.Definition {
	return command.Define(command.Spec[DomainUpdateParams, DomainResult]{
		Name:        "TEAM.DOMAIN_UPDATE",
		Summary:     "Update how people of an email domain join and sign in.",
		Description: "Omitted fields keep their values. Existing members keep their roles.",
		Access:      access.Holding(writingDomains).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{maildomain.KindUpdated},
		Handle: func(ctx context.Context, call command.Call, p DomainUpdateParams) (DomainResult, error) {
			var result DomainResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				book, err := rolegrant.Hold(ctx, tx.Books, call.Caller, call.Caller.Org)
				if err != nil {
					return err
				}
				d, err := tx.Domains.ByID(ctx, call.Caller.Org, p.ID)
				if err != nil {
					return err
				}
				rules, err := p.rules(book, call.Caller, d.Snapshot().Rules)
				if err != nil {
					return err
				}
				d.Update(rules)
				result.Domain = ofDomain(d.Snapshot(), book)
				return tx.Domains.Save(ctx, d)
			})
			return result, err
		},
	})
}

// rules returns those of a domain with what is to be changed. The role is judged where it is
// named, and where people begin to join with it.
func (p DomainUpdateParams) rules(book *role.Book, caller access.Caller, to maildomain.Rules) (maildomain.Rules, error) {
	begins := p.AutoJoin != nil && *p.AutoJoin && !to.AutoJoin
	if p.AutoJoin != nil {
		to.AutoJoin = *p.AutoJoin
	}
	if p.RequireSSO != nil {
		to.RequireSSO = *p.RequireSSO
	}
	name := p.Role
	if name == "" && begins {
		name = nameOf(book, to.Role)
	}
	if name == "" {
		return to, nil
	}
	var err error
	to.Role, err = joinedBy(book, caller, name)
	return to, err
}
