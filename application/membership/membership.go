// Package membership ends memberships, and everything that depends on them, for all
// commands.
package membership

import (
	"context"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Workspaces workspaces.Workspaces
	APIKeys    machines.APIKeys
}

// End ends a membership, with the person's API keys in the workspace; their sessions that
// are active there go on in their personal workspace. It fails like rolegrant.Disown.
func (tx Repos) End(ctx context.Context, m *workspace.Member, by user.ID, now time.Time) error {
	if err := rolegrant.Disown(ctx, tx.Workspaces, m); err != nil {
		return err
	}
	m.Remove(by)
	if err := tx.Workspaces.RemoveMember(ctx, m); err != nil {
		return err
	}
	which := machines.APIKeyQuery{User: m.Snapshot().UserID, Org: m.Snapshot().OrgID}
	_, err := account.EndKeys(ctx, tx.APIKeys, which, apikey.ByRemoval, now)
	return err
}
