package sqlstore

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// endedLife is how long a session that has ended is kept for those who ask why.
const endedLife = 7 * 24 * time.Hour

// sessionColumns are what a sessionRow reads.
const sessionColumns = `id, user_id, org_id, created_at, auth_time, amr, ip, user_agent, refresh, previous,
	rotated_at, last_used_at, idle_seconds, expires_at, ended_at, end_reason, version`

// sessionRow is a session as it is stored; the address is sealed.
type sessionRow struct {
	ID          session.ID     `db:"id"`
	UserID      user.ID        `db:"user_id"`
	OrgID       workspace.ID   `db:"org_id"`
	CreatedAt   instant        `db:"created_at"`
	AuthTime    instant        `db:"auth_time"`
	AMR         string         `db:"amr"`
	IP          string         `db:"ip"`
	UserAgent   string         `db:"user_agent"`
	Refresh     session.Digest `db:"refresh"`
	Previous    session.Digest `db:"previous"`
	RotatedAt   instant        `db:"rotated_at"`
	LastUsedAt  instant        `db:"last_used_at"`
	IdleSeconds int64          `db:"idle_seconds"`
	ExpiresAt   instant        `db:"expires_at"`
	EndedAt     instant        `db:"ended_at"`
	EndReason   string         `db:"end_reason"`
	Version     int64          `db:"version"`
}

// sessionSnapshot opens a stored session.
func (s *Store) sessionSnapshot(r *sessionRow) (session.Snapshot, error) {
	open := opener{sealer: s.personal, table: "sessions", id: r.ID.String()}
	ip := open.value("ip", r.IP)
	if open.err != nil {
		return session.Snapshot{}, fmt.Errorf("open the session %s: %w", r.ID, open.err)
	}
	amr, err := decodeList[string](r.AMR)
	if err != nil {
		return session.Snapshot{}, fmt.Errorf("decode the session %s: %w", r.ID, err)
	}
	return session.Snapshot{
		ID: r.ID, UserID: r.UserID, OrgID: r.OrgID,
		CreatedAt: r.CreatedAt.Time, AuthTime: r.AuthTime.Time, AMR: amr, IP: ip, UserAgent: r.UserAgent,
		Refresh: r.Refresh, Previous: r.Previous, RotatedAt: r.RotatedAt.Time,
		LastUsedAt: r.LastUsedAt.Time, Idle: time.Duration(r.IdleSeconds) * time.Second,
		ExpiresAt: r.ExpiresAt.Time, EndedAt: r.EndedAt.Time, EndReason: r.EndReason,
	}, nil
}

// sessionState gives the columns of a session.
func (s *Store) sessionState(snapshot session.Snapshot) (row, error) {
	amr, err := encodeList(snapshot.AMR)
	if err != nil {
		return nil, fmt.Errorf("encode the session %s: %w", snapshot.ID, err)
	}
	return row{
		{"user_id", snapshot.UserID.String()},
		{"org_id", snapshot.OrgID.String()},
		{"created_at", at(snapshot.CreatedAt)},
		{"auth_time", at(snapshot.AuthTime)},
		{"amr", amr},
		{"ip", s.personal.Seal(snapshot.IP, place("sessions", "ip", snapshot.ID.String()))},
		{"ip_index", s.index(ipLabel, snapshot.IP)},
		{"user_agent", printable(snapshot.UserAgent)},
		{"refresh", string(snapshot.Refresh)},
		{"previous", string(snapshot.Previous)},
		{"rotated_at", at(snapshot.RotatedAt)},
		{"last_used_at", at(snapshot.LastUsedAt)},
		{"idle_seconds", int64(snapshot.Idle / time.Second)},
		{"expires_at", at(snapshot.ExpiresAt)},
		{"ended_at", at(snapshot.EndedAt)},
		{"end_reason", snapshot.EndReason},
		{"purge_at", at(purgeAt(snapshot))},
	}, nil
}

// purgeAt is from when on nobody asks for the session any more.
func purgeAt(snapshot session.Snapshot) time.Time {
	if snapshot.EndedAt.IsZero() {
		return snapshot.ExpiresAt
	}
	return snapshot.EndedAt.Add(endedLife)
}

// matchSessions gives the conditions of a query for active sessions, in the table
// sessions alone.
func (s *Store) matchSessions(query outbound.SessionQuery) *filter {
	now := at(query.Now)
	f := &filter{}
	f.where("ended_at IS NULL")
	f.where("expires_at > ?", now)
	f.where("last_used_at + idle_seconds * {second} > ?", now)
	f.unless(query.User == "", "user_id = ?", query.User.String())
	f.unless(query.Org == "", "org_id = ?", query.Org.String())
	f.unless(query.Except == "", "id <> ?", query.Except.String())
	f.unless(query.IP == "", "ip_index = ?", s.index(ipLabel, query.IP))
	f.unless(query.AMR == "", "{position}(amr, ?) > 0", quoted(query.AMR))
	f.unless(query.ActiveSince.IsZero(), "last_used_at >= ?", at(query.ActiveSince))
	f.unless(query.IssuedBefore.IsZero(), "created_at < ?", at(query.IssuedBefore))
	f.unless(query.Before == "", "id < ?", query.Before.String())
	return f
}

// encodeList writes a list as JSON; an empty one is the empty text.
func encodeList[T any](list []T) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	encoded, err := json.Marshal(list)
	return string(encoded), err
}

// decodeList reads what encodeList wrote.
func decodeList[T any](encoded string) ([]T, error) {
	if encoded == "" {
		return nil, nil
	}
	var list []T
	err := json.Unmarshal([]byte(encoded), &list)
	return list, err
}

// quoted is a text as it stands in a JSON list; what cannot stand there is found nowhere.
func quoted(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil {
		return "\x01"
	}
	return string(encoded)
}

// printable leaves out of a foreign text what a database does not take.
func printable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
