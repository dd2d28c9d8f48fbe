package workspaces

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

const mailDomainColumns = `id, org_id, name, proof, auto_join, role, require_sso, created_at, verified_at, checked_at, check_at, missing_since, version`

// mailDomainRow is a claimed domain as it is stored.
type mailDomainRow struct {
	ID           maildomain.ID    `db:"id"`
	OrgID        workspace.ID     `db:"org_id"`
	Name         email.Domain     `db:"name"`
	Proof        string           `db:"proof"`
	AutoJoin     bool             `db:"auto_join"`
	Role         string           `db:"role"`
	RequireSSO   bool             `db:"require_sso"`
	CreatedAt    sqlstore.Instant `db:"created_at"`
	VerifiedAt   sqlstore.Instant `db:"verified_at"`
	CheckedAt    sqlstore.Instant `db:"checked_at"`
	CheckAt      sqlstore.Instant `db:"check_at"`
	MissingSince sqlstore.Instant `db:"missing_since"`
	Version      int64            `db:"version"`
}

func (r *mailDomainRow) snapshot() maildomain.Snapshot {
	return maildomain.Snapshot{
		ID: r.ID, OrgID: r.OrgID, Name: r.Name, Proof: r.Proof,
		Rules:     maildomain.Rules{AutoJoin: r.AutoJoin, Role: r.Role, RequireSSO: r.RequireSSO},
		CreatedAt: r.CreatedAt.Time, VerifiedAt: r.VerifiedAt.Time, CheckedAt: r.CheckedAt.Time, CheckAt: r.CheckAt.Time,
		MissingSince: r.MissingSince.Time,
	}
}

// readDomains reads the claimed domains that a WHERE clause selects, with their versions.
func readDomains(ctx context.Context, q *sqlstore.Queries, clause string, args ...any) ([]mailDomainRow, error) {
	var found []mailDomainRow
	if err := q.List(ctx, &found, `SELECT `+mailDomainColumns+` FROM mail_domains WHERE `+clause, args...); err != nil {
		return nil, fmt.Errorf("read claimed domains: %w", err)
	}
	return found, nil
}

// oneDomain reads one claimed domain. It fails with maildomain.ErrNotFound.
func oneDomain(ctx context.Context, q *sqlstore.Queries, clause string, args ...any) (*mailDomainRow, error) {
	var found mailDomainRow
	err := q.One(ctx, &found, maildomain.ErrNotFound, `SELECT `+mailDomainColumns+` FROM mail_domains WHERE `+clause, args...)
	return &found, err
}

func domainsOf(ctx context.Context, q *sqlstore.Queries, org workspace.ID) ([]maildomain.Snapshot, error) {
	found, err := readDomains(ctx, q, `org_id = ? ORDER BY name`, org.String())
	return snapshots(found), err
}

func snapshots(rows []mailDomainRow) []maildomain.Snapshot {
	all := make([]maildomain.Snapshot, len(rows))
	for i := range rows {
		all[i] = rows[i].snapshot()
	}
	return all
}

// MailDomains returns the repository of the email domains that workspaces claim.
func MailDomains(tx *sqlstore.Tx) workspaces.MailDomains { return mailDomains{tx} }

// DueDomains returns the queue of claimed domains whose DNS record is to be checked again.
func DueDomains(tx *sqlstore.Tx) workspaces.DueDomains { return mailDomains{tx} }

type mailDomains struct{ tx *sqlstore.Tx }

// ByID reads one domain.
func (r mailDomains) ByID(ctx context.Context, org workspace.ID, id maildomain.ID) (*maildomain.Domain, error) {
	found, err := oneDomain(ctx, r.tx.Queries, `id = ? AND org_id = ?`, id.String(), org.String())
	if err != nil {
		return nil, err
	}
	return maildomain.Restore(found.snapshot(), found.Version), nil
}

// OfWorkspace lists the domains of a workspace.
func (r mailDomains) OfWorkspace(ctx context.Context, org workspace.ID) ([]maildomain.Snapshot, error) {
	return domainsOf(ctx, r.tx.Queries, org)
}

// Save stores a domain. It fails with maildomain.ErrClaimed if the workspace has claimed the name
// already, and with maildomain.ErrHeld if another workspace has verified it. Both leave the
// transaction usable.
func (r mailDomains) Save(ctx context.Context, d *maildomain.Domain) error {
	s, fresh := d.Snapshot(), d.Version() == 0
	err := r.tx.Savepoint(ctx, func(inner *sqlstore.Tx) error {
		return inner.Save(ctx, "mail_domains", sqlstore.Row{{"id", s.ID.String()}, {"org_id", s.OrgID.String()}}, sqlstore.Row{
			{"name", string(s.Name)},
			{"proof", s.Proof},
			{"auto_join", s.AutoJoin},
			{"role", s.Role},
			{"require_sso", s.RequireSSO},
			{"created_at", sqlstore.At(s.CreatedAt)},
			{"verified_at", sqlstore.At(s.VerifiedAt)},
			{"checked_at", sqlstore.At(s.CheckedAt)},
			{"check_at", sqlstore.At(s.CheckAt)},
			{"missing_since", sqlstore.At(s.MissingSince)},
		}, d)
	})
	switch {
	case err == nil:
		return nil
	case fresh && errors.Is(err, aggregate.ErrConflict):
		return maildomain.ErrClaimed
	case r.tx.Store().Dialect().Failure(err) == sqlstore.Duplicate:
		return maildomain.ErrHeld
	}
	return fmt.Errorf("save a claimed domain: %w", err)
}

// Delete removes a domain.
func (r mailDomains) Delete(ctx context.Context, d *maildomain.Domain) error {
	return r.tx.Delete(ctx, "mail_domains", sqlstore.Row{{"id", d.Snapshot().ID.String()}}, d)
}

// Free deletes all claimed domains of a workspace.
func (r mailDomains) Free(ctx context.Context, org workspace.ID) error {
	if _, err := r.tx.Exec(ctx, `DELETE FROM mail_domains WHERE org_id = ?`, org.String()); err != nil {
		return fmt.Errorf("free the domains of a workspace: %w", err)
	}
	return nil
}

// Open reads the verified domain of a name by which a user may join a workspace.
func (r mailDomains) Open(ctx context.Context, name email.Domain, person user.ID) (maildomain.Snapshot, error) {
	found, err := oneDomain(ctx, r.tx.Queries, `name = ? AND verified_at IS NOT NULL AND auto_join
		AND NOT EXISTS (SELECT 1 FROM members m WHERE m.org_id = mail_domains.org_id AND m.user_id = ?)
		AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = mail_domains.org_id AND w.deleted_at IS NULL AND w.disabled_at IS NULL)`,
		string(name), person.String())
	if err != nil {
		return maildomain.Snapshot{}, err
	}
	return found.snapshot(), nil
}

// Claim moves the time at which a domain is due to the end of the lease, so that it is claimed
// again if the replica that checks it has stopped. The version stays the same.
func (r mailDomains) Claim(ctx context.Context, most int, now, until time.Time) ([]maildomain.Snapshot, error) {
	var found []mailDomainRow
	err := r.tx.List(ctx, &found, sqlstore.BatchOf("id", "mail_domains WHERE verified_at IS NOT NULL AND check_at <= ? ORDER BY check_at")+`
		UPDATE mail_domains SET check_at = ? WHERE id IN (SELECT id FROM batch)
		RETURNING `+mailDomainColumns, sqlstore.At(now), most, sqlstore.At(until))
	if err != nil {
		return nil, fmt.Errorf("claim domains that are due: %w", err)
	}
	return snapshots(found), nil
}

// MailDomainDirectory returns the directory of claimed domains.
func MailDomainDirectory(store *sqlstore.Store) workspaces.MailDomainDirectory {
	return mailDomainDirectory{store}
}

type mailDomainDirectory struct{ store *sqlstore.Store }

// Find returns one domain.
func (d mailDomainDirectory) Find(ctx context.Context, org workspace.ID, id maildomain.ID) (maildomain.Snapshot, error) {
	found, err := oneDomain(ctx, d.store.Reader(ctx), `id = ? AND org_id = ?`, id.String(), org.String())
	if err != nil {
		return maildomain.Snapshot{}, err
	}
	return found.snapshot(), nil
}

// List reads the domains of a workspace.
func (d mailDomainDirectory) List(ctx context.Context, org workspace.ID) ([]maildomain.Snapshot, error) {
	return domainsOf(ctx, d.store.Reader(ctx), org)
}
