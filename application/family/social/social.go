// Package social is the family SOCIAL: logging in at an upstream provider, and
// the providers' configuration.
package social

import (
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/social"
	"gatehouse.internal/ports/outbound"
)

// Repos is what the family stores.
type Repos struct {
	Setups outbound.SocialSetups
}

// Service holds what the family's commands need.
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
