package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// ImpersonationColumns are what an ImpersonationRow reads.
const ImpersonationColumns = `id, user_id, actor_id, org_id, session_id, actor_session_id, reason, read_only, started_at, expires_at, ended_at, ended_by, version`

// ImpersonationRow is an impersonation as it is stored; the reason is sealed.
type ImpersonationRow struct {
	ID           impersonation.ID  `db:"id"`
	UserID       user.ID           `db:"user_id"`
	ActorID      user.ID           `db:"actor_id"`
	OrgID        workspace.ID      `db:"org_id"`
	SessionID    session.ID        `db:"session_id"`
	ActorSession session.ID        `db:"actor_session_id"`
	Reason       string            `db:"reason"`
	ReadOnly     bool              `db:"read_only"`
	StartedAt    Instant           `db:"started_at"`
	ExpiresAt    Instant           `db:"expires_at"`
	EndedAt      Instant           `db:"ended_at"`
	EndedBy      impersonation.End `db:"ended_by"`
	Version      int64             `db:"version"`
}

// ImpersonationSnapshot opens a stored impersonation.
func (s *Store) ImpersonationSnapshot(r *ImpersonationRow) (impersonation.Snapshot, error) {
	open := s.RowOpener("impersonations", r.ID.String())
	reason := open.Value("reason", r.Reason)
	if open.Err != nil {
		return impersonation.Snapshot{}, fmt.Errorf("open the impersonation %s: %w", r.ID, open.Err)
	}
	return impersonation.Snapshot{
		ID: r.ID, UserID: r.UserID, ActorID: r.ActorID, OrgID: r.OrgID, SessionID: r.SessionID, ActorSession: r.ActorSession,
		Reason: impersonation.Reason(reason), ReadOnly: r.ReadOnly, StartedAt: r.StartedAt.Time, ExpiresAt: r.ExpiresAt.Time,
		EndedAt: r.EndedAt.Time, EndedBy: r.EndedBy,
	}, nil
}

// standingColumns are the columns of everything an impersonation i depends on: the accounts of the
// person (p) and the actor (a), the consent (c), the impersonated session (l), and the session that it
// was started in (t). The columns of deleted rows are NULL.
const standingColumns = `, p.superadmin AS p_superadmin, p.status AS p_status, p.disabled_until AS p_disabled_until,
	a.superadmin AS a_superadmin, a.status AS a_status, a.disabled_until AS a_disabled_until,
	l.ended_at AS l_ended_at, l.end_reason AS l_end_reason, l.expires_at AS l_expires_at, l.last_used_at AS l_last_used_at, l.idle_seconds AS l_idle_seconds,
	t.ended_at AS t_ended_at, t.end_reason AS t_end_reason, t.expires_at AS t_expires_at, t.last_used_at AS t_last_used_at, t.idle_seconds AS t_idle_seconds,
	c.allowed_until`

const fromImpersonations = ` FROM impersonations i LEFT JOIN users p ON p.id = i.user_id LEFT JOIN users a ON a.id = i.actor_id
	LEFT JOIN sessions l ON l.id = i.session_id LEFT JOIN sessions t ON t.id = i.actor_session_id
	LEFT JOIN impersonation_consents c ON c.user_id = i.user_id`

// standingRow is an impersonation with what it rests on.
type standingRow struct {
	ImpersonationRow

	PSuperadmin    sql.NullBool   `db:"p_superadmin"`
	PStatus        sql.NullString `db:"p_status"`
	PDisabledUntil Instant        `db:"p_disabled_until"`
	ASuperadmin    sql.NullBool   `db:"a_superadmin"`
	AStatus        sql.NullString `db:"a_status"`
	ADisabledUntil Instant        `db:"a_disabled_until"`
	LEndedAt       Instant        `db:"l_ended_at"`
	LEndReason     sql.NullString `db:"l_end_reason"`
	LExpiresAt     Instant        `db:"l_expires_at"`
	LLastUsedAt    Instant        `db:"l_last_used_at"`
	LIdleSeconds   sql.NullInt64  `db:"l_idle_seconds"`
	TEndedAt       Instant        `db:"t_ended_at"`
	TEndReason     sql.NullString `db:"t_end_reason"`
	TExpiresAt     Instant        `db:"t_expires_at"`
	TLastUsedAt    Instant        `db:"t_last_used_at"`
	TIdleSeconds   sql.NullInt64  `db:"t_idle_seconds"`
	AllowedUntil   Instant        `db:"allowed_until"`
}

// standing opens what was read.
func (s *Store) standing(r *standingRow) (impersonation.Standing, error) {
	of, err := s.ImpersonationSnapshot(&r.ImpersonationRow)
	party := func(superadmin sql.NullBool, status sql.NullString, until Instant) impersonation.Party {
		return impersonation.Party{
			Availability: user.Availability{Status: user.Status(status.String), DisabledUntil: until.Time},
			Exists:       status.Valid, Superadmin: superadmin.Bool,
		}
	}
	return impersonation.Standing{
		Snapshot: of,
		Person:   party(r.PSuperadmin, r.PStatus, r.PDisabledUntil),
		Actor:    party(r.ASuperadmin, r.AStatus, r.ADisabledUntil),

		AllowedUntil: r.AllowedUntil.Time,
		Session: session.Snapshot{
			EndedAt: r.LEndedAt.Time, EndReason: r.LEndReason.String, ExpiresAt: r.LExpiresAt.Time,
			LastUsedAt: r.LLastUsedAt.Time, Idle: time.Duration(r.LIdleSeconds.Int64) * time.Second,
		},
		StartedIn: session.Snapshot{
			EndedAt: r.TEndedAt.Time, EndReason: r.TEndReason.String, ExpiresAt: r.TExpiresAt.Time,
			LastUsedAt: r.TLastUsedAt.Time, Idle: time.Duration(r.TIdleSeconds.Int64) * time.Second,
		},
	}, err
}

// ImpersonationOf returns the impersonation of a session, with what it depends on; nil if there is none.
func (s *Store) ImpersonationOf(ctx context.Context, of session.ID) (*impersonation.Standing, error) {
	var found standingRow
	err := s.hotReader().Get(ctx, &found, "SELECT "+Qualified("i", ImpersonationColumns)+standingColumns+fromImpersonations+" WHERE i.session_id = ?", of.String())
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the impersonation of the session %s: %w", of, err)
	}
	standing, err := s.standing(&found)
	return &standing, err
}

// UnendedImpersonations returns up to most impersonations of which no end was noted, in the order of
// their IDs and beyond one.
func (t *Tx) UnendedImpersonations(ctx context.Context, beyond impersonation.ID, most int) ([]impersonation.Standing, error) {
	var found []standingRow
	err := t.List(ctx, &found, "SELECT "+Qualified("i", ImpersonationColumns)+standingColumns+fromImpersonations+
		" WHERE i.ended_at IS NULL AND i.id > ? ORDER BY i.id LIMIT ?", beyond.String(), most)
	if err != nil {
		return nil, fmt.Errorf("list impersonations of which no end was noted: %w", err)
	}
	return Map(found, func(r *standingRow) (impersonation.Standing, error) { return t.store.standing(r) })
}
