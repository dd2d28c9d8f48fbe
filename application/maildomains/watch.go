package maildomains

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/mailing"
	"gatehouse.internal/ports/outbound/workspaces"
)

const (
	// batch is how many domains a replica takes at once, and lease how long it has them.
	batch = 5
	lease = 5 * time.Minute
	// page is how many owners are read at once.
	page = 200
)

// WatchRepos holds the repositories of one unit of work of the Watch.
type WatchRepos struct {
	Due        workspaces.DueDomains
	Domains    workspaces.MailDomains
	Workspaces workspaces.Workspaces
	Mails      mailing.Mails
}

// Watch checks verified domains again. Each due domain is claimed by one replica; if
// that dies, the domain is due again when the lease expires.
type Watch struct {
	Unit   outbound.Unit[WatchRepos]
	Rights workspaces.Rights
	DNS    outbound.DNS
	Clock  outbound.Clock
	Logger *slog.Logger
}

// Pass looks up all that are due, as long as the context lasts.
func (w *Watch) Pass(ctx context.Context) error {
	for {
		var due []maildomain.Snapshot
		err := w.Unit.Do(ctx, func(tx WatchRepos) (err error) {
			now := w.Clock.Now()
			due, err = tx.Due.Claim(ctx, batch, now, now.Add(lease))
			return err
		})
		if err != nil || len(due) == 0 {
			return err
		}
		for _, one := range due {
			if err := w.look(ctx, one); err != nil {
				return err
			}
		}
	}
}

// look looks up the record of a domain, and stores the result. A claim that was removed
// or changed meanwhile stays as it is.
func (w *Watch) look(ctx context.Context, claimed maildomain.Snapshot) error {
	record := claimed.Record()
	shown, unanswered := w.DNS.TXT(ctx, record.Name)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	found := unanswered == nil && record.In(shown)
	owners, err := w.owners(ctx, claimed, unanswered == nil && !found)
	if err != nil {
		return err
	}
	if unanswered != nil {
		w.Logger.WarnContext(ctx, "DNS did not respond for a verified domain", "domain_id", claimed.ID.String(), "cause", unanswered)
	}
	err = w.Unit.Do(ctx, func(tx WatchRepos) error {
		d, err := tx.Domains.ByID(ctx, claimed.OrgID, claimed.ID)
		if err != nil || !d.Snapshot().Verified() {
			return err
		}
		now, first := w.Clock.Now(), false
		switch {
		case unanswered != nil:
			d.Unanswered(now)
		case found:
			d.Found(now)
		default:
			first = d.Missed(now)
		}
		if err := tx.Domains.Save(ctx, d); err != nil || !first {
			return err
		}
		return tx.warn(ctx, d.Snapshot(), owners)
	})
	return except(err)
}

// warn mails the owners of a workspace that the record of its domain is missing.
func (tx WatchRepos) warn(ctx context.Context, s maildomain.Snapshot, owners []user.ID) error {
	w, err := tx.Workspaces.ByID(ctx, s.OrgID)
	if errors.Is(err, workspace.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	record := s.Record()
	for _, owner := range owners {
		err := tx.Mails.Queue(ctx, mail.Request{
			Template: mail.DomainMissing, UserID: owner, Org: s.OrgID,
			Facts: map[string]string{
				"workspace": w.Snapshot().Name, "domain": string(s.Name), "record_name": record.Name, "record_value": record.Value,
				"until": s.LostAt().UTC().Format(mail.TimeFormat),
			},
			Once: "domain/" + s.ID.String() + "/" + s.MissingSince.UTC().Format(time.RFC3339) + "/" + owner.String(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// owners returns the owners of the workspace when the record is missing for the first
// time; later misses notify nobody.
func (w *Watch) owners(ctx context.Context, of maildomain.Snapshot, missed bool) ([]user.ID, error) {
	if !missed || !of.MissingSince.IsZero() {
		return nil, nil
	}
	var all []user.ID
	now := w.Clock.Now()
	for after := user.ID(""); ; {
		read, err := w.Rights.Holders(ctx, workspaces.HolderQuery{Org: of.OrgID, Carriers: role.Carriers{Roles: []string{role.Owner}}, After: after, Limit: page})
		if err != nil {
			return nil, err
		}
		for _, m := range read {
			if slices.Contains(workspace.LiveRoles(m.Grants, now), role.Owner) {
				all = append(all, m.User)
			}
			after = m.User
		}
		if len(read) < page {
			return all, nil
		}
	}
}
