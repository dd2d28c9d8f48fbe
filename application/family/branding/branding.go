// Package branding implements the family BRANDING: the branding of mails and pages.
package branding

import (
	"gatehouse.internal/application/engine/command"
	domainbranding "gatehouse.internal/domain/branding"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Brandings workspaces.Brandings
	Events    outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit              outbound.Unit[Repos]
	BrandingDirectory workspaces.BrandingDirectory
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.get(),
		s.set(),
	}
}

// Branding is a look as it is in force.
type Branding struct {
	Name         string                `json:"name" doc:"Name of the service, as shown to users." jsonschema:"example=Acme"`
	LogoURL      string                `json:"logo_url" doc:"https URL of a logo. Empty if none is set." jsonschema:"example=https://cdn.example.com/logo.png"`
	Colors       domainbranding.Colors `json:"colors" doc:"Colors of emails and pages."`
	SupportEmail string                `json:"support_email" doc:"Email address for support. Empty if none is set." jsonschema:"example=help@example.com"`
	Locale       string                `json:"locale" doc:"Language of emails to users who chose none. Empty if none is set." jsonschema:"example=de"`
}

func show(l domainbranding.Settings) Branding {
	l = l.Whole()
	return Branding{
		Name: string(l.Name), LogoURL: string(l.LogoURL), Colors: l.Colors,
		SupportEmail: l.SupportEmail.String(), Locale: string(l.Locale),
	}
}
