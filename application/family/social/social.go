// Package social implements the family SOCIAL: logins at upstream providers, and the
// configuration of the providers.
package social

import (
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/social"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/signin"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Setups signin.SocialSetups
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit   outbound.Unit[Repos]
	Social *social.Service
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.authURL(),
		s.callback(),
		s.providerList(),
		s.providerSet(),
		s.tokenGet(),
	}
}
