// Package oauth implements the family OAUTH: the authorization server for clients that
// act for people, and the APIs and audiences of tokens.
package oauth

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/audience"
	"gatehouse.internal/application/authorization"
	"gatehouse.internal/application/client"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/registration"
	"gatehouse.internal/application/token"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/delegation"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/people"
	"gatehouse.internal/ports/outbound/workspaces"
)

// The permissions of the family.
const (
	read  = "oauth:read"
	write = "oauth:write"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Apps       machines.Apps
	Strangers  machines.Strangers
	Quotas     machines.Quotas
	Resources  machines.Resources
	Domains    machines.AudienceDomains
	Tokens     machines.IssuedTokens
	Grants     delegation.Grants
	Consents   delegation.Consents
	Sessions   people.Sessions
	Workspaces workspaces.Workspaces
	Events     outbound.Events
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory machines.ResourceDirectory
	Apps      machines.AppDirectory
	Audiences *audience.Rules
	Clients   *client.Authenticator
	Consents  delegation.ConsentDirectory
	// Authorization answers authorization requests and requests for tokens.
	Authorization *authorization.Service
	Access        *token.Access
	// Logins reads refresh tokens of sessions.
	Logins    *token.Refresh
	Admission outbound.Admission
	Instance  *instance.Current
	Policies  account.Policies
	// Registrations parses client metadata.
	Registrations registration.Reader
	Random        outbound.Random
	Cursors       page.Cursors
	Clock         outbound.Clock
	IDs           outbound.IDs
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.resourceCreate(),
		s.resourceGet(),
		s.resourceList(),
		s.resourceUpdate(),
		s.resourceDelete(),
		s.revoke(),
		s.authorize(),
		s.requestPush(),
		s.consentDecide(),
		s.consentList(),
		s.consentRevoke(),
		s.token(),
		s.userinfo(),
		s.introspect(),
		s.endSession(),
		s.deviceStart(),
		s.deviceGet(),
		s.deviceDecide(),
		s.clientRegister(),
	}
}

// visible reads a resource that the caller sees. It fails with resource.ErrNotFound,
// also for one of another workspace.
func visible(ctx context.Context, tx Repos, caller access.Caller, id resource.ID) (*resource.Resource, error) {
	found, err := tx.Resources.ByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if !caller.Sees(found.Snapshot().OrgID) {
		return nil, resource.ErrNotFound
	}
	return found, nil
}
