package people

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/live"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// Sessions returns the sessions.
func Sessions(tx *sqlstore.Tx) people.Sessions { return sessions{tx} }

type sessions struct{ tx *sqlstore.Tx }

// ByID reads one session.
func (r sessions) ByID(ctx context.Context, id session.ID) (*session.Session, error) {
	var found sqlstore.SessionRow
	err := r.tx.One(ctx, &found, session.ErrNotFound, "SELECT "+sqlstore.SessionColumns+" FROM sessions WHERE id = ?", id.String())
	if err != nil {
		return nil, err
	}
	return r.restore(&found)
}

func (r sessions) restore(found *sqlstore.SessionRow) (*session.Session, error) {
	snapshot, err := r.tx.Store().SessionSnapshot(found)
	if err != nil {
		return nil, err
	}
	return session.Restore(snapshot, found.Version), nil
}

// HoldOff locks the rows of the credentials of a user, except for one session, as sqlstore.Tx.HoldOff does.
func (r sessions) HoldOff(ctx context.Context, of user.ID, except session.ID) error {
	err := r.tx.HoldOffAll(ctx, `SELECT id FROM sessions WHERE user_id = ? AND id <> ? AND ended_at IS NULL ORDER BY id {for update}`, of.String(), except.String())
	if err != nil {
		return err
	}
	for _, statement := range []string{
		`SELECT id FROM api_keys WHERE user_id = ? AND revoked_at IS NULL ORDER BY id {for update}`,
		`SELECT id FROM oauth_grants WHERE user_id = ? AND ended_at IS NULL ORDER BY id {for update}`,
		`SELECT id FROM apps WHERE org_id` + workspaces.OfPersonal + ` ORDER BY id {for update}`,
	} {
		if err := r.tx.HoldOffAll(ctx, statement, of.String()); err != nil {
			return err
		}
	}
	return nil
}

// Save stores a session.
func (r sessions) Save(ctx context.Context, s *session.Session) error {
	state, err := sessionState(r.tx.Store(), s.Snapshot())
	if err != nil {
		return err
	}
	if s.Ended() {
		if err := r.tx.HoldOff(ctx, "sessions", "id", s.ID().String()); err != nil {
			return err
		}
	}
	if err := r.tx.Save(ctx, "sessions", sqlstore.Row{{"id", s.ID().String()}}, state, s); err != nil {
		return fmt.Errorf("save a session: %w", err)
	}
	if s.Ended() {
		return r.tx.QueueLogouts(ctx, s.ID())
	}
	return nil
}

// Matching reads active sessions.
func (r sessions) Matching(ctx context.Context, query people.SessionQuery) ([]*session.Session, error) {
	matching := matchSessions(r.tx.Store(), query)
	var found []sqlstore.SessionRow
	err := r.tx.List(ctx, &found, "SELECT "+sqlstore.SessionColumns+" FROM sessions s"+matching.String()+sqlstore.Newest(query.Limit), matching.Args...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return sqlstore.Map(found, func(row *sqlstore.SessionRow) (*session.Session, error) { return r.restore(row) })
}

// sessionState returns the columns of a session.
func sessionState(store *sqlstore.Store, snapshot session.Snapshot) (sqlstore.Row, error) {
	amr, err := sqlstore.EncodeList(snapshot.AMR)
	if err != nil {
		return nil, fmt.Errorf("encode the session %s: %w", snapshot.ID, err)
	}
	met, err := sqlstore.EncodeMet(snapshot.Met)
	if err != nil {
		return nil, fmt.Errorf("encode the session %s: %w", snapshot.ID, err)
	}
	claims := ""
	if len(snapshot.Claims) > 0 {
		text, err := json.Marshal(snapshot.Claims)
		if err != nil {
			return nil, fmt.Errorf("encode the claims of the session %s: %w", snapshot.ID, err)
		}
		claims = string(text)
	}
	seal := store.RowSealer("sessions", snapshot.ID.String())
	return sqlstore.Row{
		{"user_id", snapshot.UserID.String()},
		{"org_id", snapshot.OrgID.String()},
		{"created_at", sqlstore.At(snapshot.CreatedAt)},
		{"auth_time", sqlstore.At(snapshot.AuthTime)},
		{"amr", amr},
		{"ip", seal("ip", snapshot.IP)},
		{"ip_index", store.Index(label.IP, snapshot.IP)},
		{"user_agent", seal("user_agent", sqlstore.Printable(snapshot.UserAgent))},
		{"refresh", string(snapshot.Refresh)},
		{"previous", string(snapshot.Previous)},
		{"rotated_at", sqlstore.At(snapshot.RotatedAt)},
		{"last_used_at", sqlstore.At(snapshot.LastUsedAt)},
		{"idle_seconds", int64(snapshot.Idle / time.Second)},
		{"expires_at", sqlstore.At(snapshot.ExpiresAt)},
		{"ended_at", sqlstore.At(snapshot.EndedAt)},
		{"end_reason", snapshot.EndReason},
		{"flow_claims", seal("flow_claims", claims)},
		{"acted_by", snapshot.ActedBy.String()},
		{"met", met},
		{"purge_at", sqlstore.At(sqlstore.PurgeAt(snapshot))},
	}, nil
}

// matchSessions returns the conditions of a query for active sessions s.
func matchSessions(store *sqlstore.Store, query people.SessionQuery) *sqlstore.Filter {
	now := sqlstore.At(query.Now)
	f := &sqlstore.Filter{}
	active := live.Session(liveness.SessionLists)
	f.Where(string(active), active.Args(now)...)
	f.Unless(query.User == "", "user_id = ?", query.User.String())
	f.Unless(query.Org == "", "org_id = ?", query.Org.String())
	f.Unless(query.Except == "", "id <> ?", query.Except.String())
	f.Unless(query.IP == "", "ip_index = ?", store.Index(label.IP, query.IP))
	f.Unless(query.AMR == "", "{position}(amr, ?) > 0", sqlstore.Quoted(query.AMR))
	f.Unless(query.App == "", "id IN (SELECT session_id FROM oauth_grants WHERE app_id = ? AND ended_at IS NULL AND expires_at > ?)", query.App.String(), now)
	f.Unless(query.ActiveSince.IsZero(), "last_used_at >= ?", sqlstore.At(query.ActiveSince))
	f.Unless(query.IssuedBefore.IsZero(), "created_at < ?", sqlstore.At(query.IssuedBefore))
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	return f
}
