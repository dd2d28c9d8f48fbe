// Package m2m implements the family M2M: tokens of apps that act for themselves, by the
// client credentials grant (RFC 6749 section 4.4).
package m2m

import (
	"gatehouse.internal/application/audience"
	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/application/token"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Apps      machines.Apps
	Tokens    machines.IssuedTokens
	Resources machines.Resources
	Domains   machines.AudienceDomains
	Events    outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Clients   *client.Authenticator
	Issues    machines.TokenIssues
	Directory machines.TokenDirectory
	Bindings  machines.BindingDirectory
	Admission outbound.Admission
	Access    *token.Access
	Audiences *audience.Rules
	Proofs    *proof.Checker
	Claims    *claims.Service
	Cursors   page.Cursors
	Clock     outbound.Clock
	IDs       outbound.IDs
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.token(),
		s.introspect(),
		s.revoke(),
		s.list(),
		s.bulkRevoke(),
	}
}
