package relay

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/webhook"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/webhooks"
	"gatehouse.internal/ports/outbound/workspaces"
)

// warnAfter is how long an endpoint must fail before the owners of its workspace are
// warned, and toldOwners the maximum number of them.
const (
	warnAfter        = 24 * time.Hour
	mostWarnedOwners = 50
)

// judge disables an endpoint that is gone or has failed for too long, and notifies the
// owners of its workspace of the latter, and with a warning a day after the first
// failure.
func (r *Relay) judge(ctx context.Context, c webhooks.ClaimedDelivery, made webhook.Attempt, health webhook.Health) error {
	now := r.Clock.Now()
	failing := time.Duration(0)
	if !health.FailingSince.IsZero() {
		failing = now.Sub(health.FailingSince)
	}
	switch {
	case made.Gone():
		return r.disable(ctx, c.WebhookID, webhook.ByGone, nil)
	case failing < warnAfter:
		return nil
	}
	owners, err := r.owners(ctx, c.OrgID)
	if err != nil {
		return err
	}
	if failing >= r.Instance.State().Settings.WebhookPatience() {
		return r.disable(ctx, c.WebhookID, webhook.ByFailing, owners)
	}
	return r.Unit.Do(ctx, func(tx Repos) error {
		first, err := tx.Endpoints.Warn(ctx, c.WebhookID, now)
		if err != nil || !first {
			return err
		}
		return tell(ctx, tx, owners, notice.WebhookFailing)
	})
}

// disable switches an endpoint off, unless it is or is deleted.
func (r *Relay) disable(ctx context.Context, id webhook.ID, why string, owners []user.ID) error {
	return r.Unit.Do(ctx, func(tx Repos) error {
		e, err := tx.Endpoints.ByID(ctx, id)
		if err != nil || !e.Snapshot().Enabled {
			return ignoreGone(err)
		}
		e.Disable(why, r.Clock.Now())
		if err := tx.Endpoints.Save(ctx, e); err != nil {
			return err
		}
		return tell(ctx, tx, owners, notice.WebhookDisabled)
	})
}

func tell(ctx context.Context, tx Repos, owners []user.ID, of notice.Kind) error {
	for _, owner := range owners {
		if err := tx.Notices.Tell(ctx, owner, of, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// owners returns those of a workspace; the instance has none.
func (r *Relay) owners(ctx context.Context, org workspace.ID) ([]user.ID, error) {
	if org == "" {
		return nil, nil
	}
	book, err := r.Rights.Book(ctx, org)
	if errors.Is(err, workspace.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	members, err := r.Rights.Holders(ctx, workspaces.HolderQuery{Org: org, Carriers: book.Holding(role.Owner), Limit: mostWarnedOwners})
	if err != nil {
		return nil, err
	}
	var owners []user.ID
	for _, m := range members {
		if _, holds := book.Standing(m.MemberGrants, r.Clock.Now()).Has(role.Owner); holds {
			owners = append(owners, m.User)
		}
	}
	return owners, nil
}
