// Package m2m is the family M2M: tokens with which apps call for themselves, by the
// grant client_credentials of OAuth 2.0 (RFC 6749 section 4.4).
package m2m

import (
	"context"

	"gatehouse.internal/application/claims"
	"gatehouse.internal/application/client"
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/page"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/application/token"
	"gatehouse.internal/ports/outbound"
)

// Repos is what the family stores.
type Repos struct {
	Apps   outbound.Apps
	Tokens outbound.IssuedTokens
	Events outbound.Events
}

// Service holds what the family's commands need.
type Service struct {
	Unit      outbound.Unit[Repos]
	Clients   *client.Authenticator
	Issues    outbound.TokenIssues
	Directory outbound.TokenDirectory
	Bindings  outbound.BindingDirectory
	Admission outbound.Admission
	Access    *token.Access
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

// refresh looks whether the signing keys moved since this replica read them.
func (s *Service) refresh(ctx context.Context) error {
	answer, err := s.Admission.Admit(ctx, outbound.AdmissionAsk{})
	if err != nil {
		return err
	}
	_, err = s.Access.Instance.At(ctx, answer.Revision)
	return err
}
