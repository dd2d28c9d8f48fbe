package sqlstore

import (
	"encoding/json"
	"fmt"
	"time"

	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// endedLife is how long an ended session is kept, so that its end can be explained.
const endedLife = 7 * 24 * time.Hour

// SessionColumns are the columns of a SessionRow.
const SessionColumns = `id, user_id, org_id, created_at, auth_time, amr, ip, user_agent, refresh, previous,
	rotated_at, last_used_at, idle_seconds, expires_at, ended_at, end_reason, flow_claims, acted_by, met, version`

// SessionRow is a session as it is stored; the address, the user agent and the claims are
// sealed.
type SessionRow struct {
	ID          session.ID     `db:"id"`
	UserID      user.ID        `db:"user_id"`
	OrgID       workspace.ID   `db:"org_id"`
	CreatedAt   Instant        `db:"created_at"`
	AuthTime    Instant        `db:"auth_time"`
	AMR         string         `db:"amr"`
	IP          string         `db:"ip"`
	UserAgent   string         `db:"user_agent"`
	Refresh     session.Digest `db:"refresh"`
	Previous    session.Digest `db:"previous"`
	RotatedAt   Instant        `db:"rotated_at"`
	LastUsedAt  Instant        `db:"last_used_at"`
	IdleSeconds int64          `db:"idle_seconds"`
	ExpiresAt   Instant        `db:"expires_at"`
	EndedAt     Instant        `db:"ended_at"`
	EndReason   string         `db:"end_reason"`
	Claims      string         `db:"flow_claims"`
	ActedBy     user.ID        `db:"acted_by"`
	Met         string         `db:"met"`
	Version     int64          `db:"version"`
}

// SessionSnapshot opens a stored session.
func (s *Store) SessionSnapshot(r *SessionRow) (session.Snapshot, error) {
	open := s.RowOpener("sessions", r.ID.String())
	ip, userAgent, claims := open.Value("ip", r.IP), open.Value("user_agent", r.UserAgent), open.Value("flow_claims", r.Claims)
	if open.Err != nil {
		return session.Snapshot{}, fmt.Errorf("open the session %s: %w", r.ID, open.Err)
	}
	amr, err := DecodeList[string](r.AMR)
	if err != nil {
		return session.Snapshot{}, fmt.Errorf("decode the session %s: %w", r.ID, err)
	}
	var set map[string]json.RawMessage
	if claims != "" {
		if err := json.Unmarshal([]byte(claims), &set); err != nil {
			return session.Snapshot{}, fmt.Errorf("decode the claims of the session %s: %w", r.ID, err)
		}
	}
	met, err := decodeMet(r.Met)
	if err != nil {
		return session.Snapshot{}, fmt.Errorf("decode the session %s: %w", r.ID, err)
	}
	return session.Snapshot{
		ID: r.ID, UserID: r.UserID, OrgID: r.OrgID,
		CreatedAt: r.CreatedAt.Time, AuthTime: r.AuthTime.Time, AMR: amr, IP: ip, UserAgent: userAgent,
		Refresh: r.Refresh, Previous: r.Previous, RotatedAt: r.RotatedAt.Time,
		LastUsedAt: r.LastUsedAt.Time, Idle: time.Duration(r.IdleSeconds) * time.Second,
		ExpiresAt: r.ExpiresAt.Time, EndedAt: r.EndedAt.Time, EndReason: r.EndReason, Claims: set, ActedBy: r.ActedBy, Met: met,
	}, nil
}

// nothingMet is the encoded record of a session that met the rules of no workspace.
const nothingMet = "{}"

func decodeMet(text string) (met map[workspace.ID]int64, err error) {
	switch text {
	case "":
		return nil, nil
	case nothingMet:
		return map[workspace.ID]int64{}, nil
	}
	err = json.Unmarshal([]byte(text), &met)
	return met, err
}

// EncodeMet encodes what a session met.
func EncodeMet(met map[workspace.ID]int64) (string, error) {
	switch {
	case met == nil:
		return "", nil
	case len(met) == 0:
		return nothingMet, nil
	}
	text, err := json.Marshal(met)
	return string(text), err
}

// PurgeAt returns when the session may be purged.
func PurgeAt(snapshot session.Snapshot) time.Time {
	if snapshot.EndedAt.IsZero() {
		return snapshot.ExpiresAt
	}
	return snapshot.EndedAt.Add(endedLife)
}
