package bootstrap

import (
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/event"
)

// family is a wired family of commands: the service that declares them, and the event
// kinds of its domain packages.
type family struct {
	service interface{ Commands() []command.Definition }
	events  []event.Definition
}

// families returns every family; each is wired in the file of its package's name.
func (p *parts) families() []family {
	return []family{
		p.apiKeys(),
		p.apps(),
		p.audit(),
		p.auth(),
		p.billing(),
		p.branding(),
		p.devices(),
		p.dpop(),
		p.emails(),
		p.events(),
		p.factors(),
		p.features(),
		p.flows(),
		p.groups(),
		p.impersonations(),
		p.ipRules(),
		p.jobs(),
		p.jwtKeys(),
		p.licenses(),
		p.m2m(),
		p.notifications(),
		p.oauth(),
		p.passkeyCommands(),
		p.permissions(),
		p.policyCommands(),
		p.products(),
		p.rateLimits(),
		p.registryCommands(),
		p.relations(),
		p.risk(),
		p.roles(),
		p.sessions(),
		p.settings(),
		p.socialCommands(),
		p.system(),
		p.teams(),
		p.users(),
		p.webhooks(),
	}
}
