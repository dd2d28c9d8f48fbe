package delegation

import (
	"context"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound/delegation"
)

// Logouts returns the queue of back-channel logouts (OpenID Connect Back-Channel Logout 1.0).
func Logouts(store *sqlstore.Store) delegation.Logouts { return logouts{store} }

type logouts struct{ store *sqlstore.Store }

// logoutRow is a logout as it is stored.
type logoutRow struct {
	SessionID session.ID       `db:"session_id"`
	AppID     app.ID           `db:"app_id"`
	Subject   string           `db:"subject"`
	EndedAt   sqlstore.Instant `db:"ended_at"`
	Attempts  int              `db:"attempts"`
}

// Claim claims logouts that are due. It counts an attempt, and moves the time at which a logout is due to the
// end of the lease, so that it is claimed again if the replica that sends it has stopped. It reads outside a
// transaction first, because most of the time there is none.
func (q logouts) Claim(ctx context.Context, most int, now, until time.Time) (claimed []delegation.ClaimedLogout, err error) {
	var due bool
	err = q.store.Reader(ctx).Get(ctx, &due, `SELECT EXISTS (SELECT 1 FROM oauth_logouts WHERE due_at <= ?)`, sqlstore.At(now))
	if err != nil || !due {
		return nil, sqlstore.Wrap("look for logouts", err)
	}
	err = q.store.Do(ctx, func(tx *sqlstore.Tx) error {
		var found []logoutRow
		err := tx.List(ctx, &found, sqlstore.BatchOf("session_id, app_id", "oauth_logouts WHERE due_at <= ? ORDER BY due_at")+`
			UPDATE oauth_logouts SET due_at = ?, attempts = attempts + 1 WHERE (session_id, app_id) IN (SELECT session_id, app_id FROM batch)
			RETURNING session_id, app_id, subject, ended_at, attempts`, sqlstore.At(now), most, sqlstore.At(until))
		if err != nil {
			return err
		}
		clients, err := clientsOf(ctx, tx, found)
		claimed = make([]delegation.ClaimedLogout, len(found))
		for i, one := range found {
			claimed[i] = delegation.ClaimedLogout{
				Logout: oauth.Logout{SessionID: one.SessionID, AppID: one.AppID, Subject: one.Subject, EndedAt: one.EndedAt.Time, Attempts: one.Attempts},
				Client: clients[one.AppID],
			}
		}
		return err
	})
	if err != nil {
		return nil, sqlstore.Wrap("claim logouts", err)
	}
	return claimed, nil
}

// clientsOf reads the apps of logouts by their ids; nil for one that was deleted.
func clientsOf(ctx context.Context, tx *sqlstore.Tx, of []logoutRow) (map[app.ID]*app.Snapshot, error) {
	clients := map[app.ID]*app.Snapshot{}
	if len(of) == 0 {
		return clients, nil
	}
	var ids []string
	for _, one := range of {
		if _, seen := clients[one.AppID]; !seen {
			clients[one.AppID] = nil
			ids = append(ids, one.AppID.String())
		}
	}
	var rows []sqlstore.AppRow
	if err := tx.List(ctx, &rows, `SELECT `+sqlstore.AppColumns+` FROM apps WHERE id {any id text}`, sqlstore.OneColumn(ids)); err != nil {
		return nil, err
	}
	for i := range rows {
		client, err := rows[i].Snapshot()
		if err != nil {
			return nil, err
		}
		clients[client.ID] = &client
	}
	return clients, nil
}

// claimedLogout is the condition that a logout was not claimed again.
const claimedLogout = ` WHERE session_id = ? AND app_id = ? AND attempts = ?`

// Forget removes a logout.
func (q logouts) Forget(ctx context.Context, l oauth.Logout) error {
	return sqlstore.Wrap("forget a logout", q.store.Do(ctx, func(tx *sqlstore.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM oauth_logouts`+claimedLogout, l.SessionID.String(), l.AppID.String(), l.Attempts)
		return err
	}))
}

// Retry moves the time at which a logout is due.
func (q logouts) Retry(ctx context.Context, l oauth.Logout, at time.Time) error {
	return sqlstore.Wrap("postpone a logout", q.store.Do(ctx, func(tx *sqlstore.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE oauth_logouts SET due_at = ?`+claimedLogout, sqlstore.At(at), l.SessionID.String(), l.AppID.String(), l.Attempts)
		return err
	}))
}
