package people

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// Impersonations returns the impersonations.
func Impersonations(tx *sqlstore.Tx) people.Impersonations { return impersonations{tx} }

type impersonations struct{ tx *sqlstore.Tx }

const selectImpersonations = "SELECT " + sqlstore.ImpersonationColumns + " FROM impersonations "

// ByID reads one impersonation.
func (r impersonations) ByID(ctx context.Context, id impersonation.ID) (*impersonation.Impersonation, error) {
	var found sqlstore.ImpersonationRow
	if err := r.tx.One(ctx, &found, impersonation.ErrNotFound, selectImpersonations+"WHERE id = ?", id.String()); err != nil {
		return nil, err
	}
	return r.restore(&found)
}

func (r impersonations) restore(found *sqlstore.ImpersonationRow) (*impersonation.Impersonation, error) {
	snapshot, err := r.tx.Store().ImpersonationSnapshot(found)
	if err != nil {
		return nil, err
	}
	return impersonation.Restore(snapshot, found.Version), nil
}

// Save stores an impersonation.
func (r impersonations) Save(ctx context.Context, i *impersonation.Impersonation) error {
	s := i.Snapshot()
	seal := r.tx.Store().RowSealer("impersonations", s.ID.String())
	return r.tx.Save(ctx, "impersonations", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"user_id", s.UserID.String()},
		{"actor_id", s.ActorID.String()},
		{"org_id", s.OrgID.String()},
		{"session_id", s.SessionID.String()},
		{"actor_session_id", s.ActorSession.String()},
		{"reason", seal("reason", string(s.Reason))},
		{"read_only", s.ReadOnly},
		{"started_at", sqlstore.At(s.StartedAt)},
		{"expires_at", sqlstore.At(s.ExpiresAt)},
		{"ended_at", sqlstore.At(s.EndedAt)},
		{"ended_by", string(s.EndedBy)},
		{"purge_at", sqlstore.At(s.ExpiresAt.Add(impersonation.KeptFor))},
	}, i)
}

// Open reads those of a person, the earliest first.
func (r impersonations) Open(ctx context.Context, person user.ID) ([]*impersonation.Impersonation, error) {
	var found []sqlstore.ImpersonationRow
	if err := r.tx.List(ctx, &found, selectImpersonations+"WHERE user_id = ? AND ended_at IS NULL ORDER BY id", person.String()); err != nil {
		return nil, fmt.Errorf("list the impersonations of a person: %w", err)
	}
	return sqlstore.Map(found, func(row *sqlstore.ImpersonationRow) (*impersonation.Impersonation, error) { return r.restore(row) })
}

// Unended reads those of which no end was noted.
func (r impersonations) Unended(ctx context.Context, beyond impersonation.ID, most int) ([]impersonation.Standing, error) {
	return r.tx.UnendedImpersonations(ctx, beyond, most)
}

// AllowedUntil reads the consent of a person.
func (r impersonations) AllowedUntil(ctx context.Context, person user.ID) (time.Time, error) {
	return allowedUntil(ctx, r.tx.Queries, person)
}

// Allow replaces the consent of a person.
func (r impersonations) Allow(ctx context.Context, person user.ID, until time.Time) error {
	_, err := r.tx.Exec(ctx, `DELETE FROM impersonation_consents WHERE user_id = ?`, person.String())
	if err == nil && !until.IsZero() {
		_, err = r.tx.Exec(ctx, `INSERT INTO impersonation_consents (user_id, allowed_until) VALUES (?, ?)`, person.String(), sqlstore.At(until))
	}
	if err != nil {
		return fmt.Errorf("store the impersonation consent: %w", err)
	}
	return nil
}

func allowedUntil(ctx context.Context, q *sqlstore.Queries, person user.ID) (time.Time, error) {
	var found []sqlstore.Instant
	if err := q.List(ctx, &found, `SELECT allowed_until FROM impersonation_consents WHERE user_id = ?`, person.String()); err != nil {
		return time.Time{}, fmt.Errorf("read the impersonation consent: %w", err)
	}
	if len(found) == 0 {
		return time.Time{}, nil
	}
	return found[0].Time, nil
}
