// Package dpop implements the family DPOP: registered keys and proofs of possession
// (RFC 9449).
package dpop

import (
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/proof"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/machines"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Bindings machines.DPoPBindings
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory machines.BindingDirectory
	Keys      crypt.ProofKeys
	Checker   *proof.Checker
	Clock     outbound.Clock
	IDs       outbound.IDs
	Cursors   page.Cursors
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.register(),
		s.verify(),
		s.list(),
		s.revoke(),
		s.thumbprint(),
	}
}

// ownerOf returns whose keys a caller sees: the user's behind a session or an API key,
// or the app's.
func ownerOf(c access.Caller) dpop.Owner {
	if c.Kind == access.App {
		return dpop.Owner{App: c.App}
	}
	return dpop.Owner{User: c.User}
}

func position(s dpop.Snapshot) string { return s.ID.String() }
