// Package apikeys implements the family API_KEY: long-lived keys of users.
package apikeys

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
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
	Quotas     machines.Quotas
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Instance  *instance.Current
	Directory machines.APIKeyDirectory
	// Admission finds who stands behind the text of a key.
	Admission outbound.Admission
	Uses      machines.LastUses
	Books     *rolegrant.Books
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

// errElsewhere is returned for a key of the caller in another workspace.
var errElsewhere = fault.Unfit("/org_id", "must be the workspace of the key: see API_KEY.LIST")

// KeyResult is a key after a change.
type KeyResult struct {
	APIKey view.APIKey `json:"api_key" doc:"The API key."`
}

// show returns a key with its last use.
func (s *Service) show(ctx context.Context, tx Repos, k *apikey.Key) (view.APIKey, error) {
	used, err := tx.Keys.LastUse(ctx, k.ID())
	return view.OfAPIKey(k.Snapshot(), used, s.Clock.Now()), err
}

// own reads a key of the caller in the workspace that the call acts in, so that whoever has not
// met the sign-in rules of a workspace gets no access to it by an older key. That of somebody
// else is apikey.ErrNotFound.
func own(ctx context.Context, tx Repos, caller access.Caller, id apikey.ID) (*apikey.Key, error) {
	k, err := tx.Keys.ByID(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case !k.OwnedBy(caller.User):
		return nil, apikey.ErrNotFound
	case k.Snapshot().OrgID != caller.Org:
		return nil, errElsewhere
	}
	return k, nil
}
