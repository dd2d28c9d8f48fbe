// Package apikeys is the family API_KEY: the long-lived keys of users.
package apikeys

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/command"
	"gatehouse.internal/application/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// The permissions over the keys of others in the workspace.
const (
	reading = "api_keys:read"
	writing = "api_keys:write"
)

// Repos is what the family stores.
type Repos struct {
	Keys       outbound.APIKeys
	Workspaces outbound.Workspaces
}

// Service holds what the family's commands need.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory outbound.APIKeyDirectory
	// Admission finds who stands behind the text of a key.
	Admission outbound.Admission
	Uses      outbound.LastUses
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

// show gives a key with its last use.
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

// within gives the caller as they stand in a workspace, which may be another than
// the active one; whoever does not belong to it holds nothing there.
func within(ctx context.Context, tx Repos, caller access.Caller, org workspace.ID, now time.Time) (access.Caller, error) {
	if caller.Org == org || caller.Superadmin {
		return caller, nil
	}
	caller.Org, caller.Permissions = org, nil
	member, err := tx.Workspaces.Member(ctx, org, caller.User)
	if errors.Is(err, workspace.ErrNotMember) {
		return caller, nil
	}
	if err == nil {
		caller.Permissions = role.Granted(member.Roles(now))
	}
	return caller, err
}
