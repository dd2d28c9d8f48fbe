package audience

import (
	"context"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// Repos are the repositories to reassign audiences.
type Repos struct {
	Resources machines.Resources
	Domains   machines.AudienceDomains
}

// TakeOver assigns the https audiences under a domain to the workspace that has
// verified it, if their owners have them by first use only, or with a deleted resource
// (contract section 3). Tokens for them are invalidated. They count towards the quota
// of the workspace, and remain first uses until they are registered.
func (tx Repos) TakeOver(ctx context.Context, under email.Domain, org workspace.ID, now time.Time) error {
	names, err := tx.Domains.Yielding(ctx, under, org)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := tx.take(ctx, name, org, now); err != nil {
			return err
		}
	}
	return nil
}

// take reassigns an audience, unless it was registered meanwhile, or is under a more
// specific domain of another workspace.
func (tx Repos) take(ctx context.Context, name string, org workspace.ID, now time.Time) error {
	owner, err := tx.Domains.DomainOwner(ctx, name)
	if err != nil || owner != org {
		return err
	}
	held, found, err := tx.Resources.Holder(ctx, name)
	if err != nil || held == nil || held.OrgID == org || !held.Yields() {
		return err
	}
	if err := tx.Resources.Assign(ctx, name, org); err != nil || found == nil {
		return err
	}
	found.TakeOver(org, now)
	return tx.Resources.Save(ctx, found)
}
