// Package apikeys implements the family API_KEY: long-lived keys of users.
package apikeys

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/granting"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/workspaces"
)

// The permissions over the keys of others in the workspace.
const (
	reading = "api_keys:read"
	writing = "api_keys:write"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Keys       machines.APIKeys
	Workspaces workspaces.Workspaces
	Books      workspaces.Books
	Quotas     machines.Quotas
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Instance  *instance.Current
	Directory machines.APIKeyDirectory
	// Admission finds who stands behind the text of a key.
	Admission outbound.Admission
	Books     *granting.Books
	Uses      machines.LastUses
	Clock     outbound.Clock
	IDs       outbound.IDs
	Random    outbound.Random
	Cursors   page.Cursors
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.create(),
		s.list(),
		s.search(),
		s.update(),
		s.rotate(),
		s.revoke(),
		s.bulkRevoke(),
		s.verify(),
		s.reportLeak(),
	}
}

// KeyResult is a key after a change.
type KeyResult struct {
	APIKey view.APIKey `json:"api_key" doc:"The key as it stands."`
}

// show returns a key with its last use.
func (s *Service) show(ctx context.Context, tx Repos, k *apikey.Key) (view.APIKey, error) {
	used, err := tx.Keys.LastUse(ctx, k.ID())
	return view.OfAPIKey(k.Snapshot(), used, s.Clock.Now()), err
}

// own reads a key of the caller; that of somebody else is apikey.ErrNotFound.
func own(ctx context.Context, tx Repos, caller access.Caller, id apikey.ID) (*apikey.Key, error) {
	k, err := tx.Keys.ByID(ctx, id)
	if err == nil && !k.OwnedBy(caller.User) {
		return nil, apikey.ErrNotFound
	}
	return k, err
}

// within returns the caller as they stand in a workspace, which may be another than
// the active one; whoever does not belong to it holds nothing there.
func (s *Service) within(ctx context.Context, tx Repos, caller access.Caller, org workspace.ID) (access.Caller, error) {
	if caller.Org == org || caller.Superadmin {
		return caller, nil
	}
	caller.Org, caller.Permissions = org, nil
	member, err := tx.Books.Holding(ctx, org, caller.User)
	if errors.Is(err, workspace.ErrNotMember) {
		return caller, nil
	}
	if err != nil {
		return caller, err
	}
	standing, err := s.Books.Standing(ctx, member.Holding, s.Clock.Now())
	caller.Permissions = standing.Permissions
	return caller, err
}
