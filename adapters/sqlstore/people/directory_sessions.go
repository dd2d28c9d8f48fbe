package people

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound/people"
)

// SessionDirectory lists sessions for reading.
func SessionDirectory(store *sqlstore.Store) people.SessionDirectory { return sessionDirectory{store} }

type sessionDirectory struct{ store *sqlstore.Store }

// List returns active sessions, newest first.
func (d sessionDirectory) List(ctx context.Context, query people.SessionQuery) ([]session.Snapshot, error) {
	matching := matchSessions(d.store, query)
	var found []sqlstore.SessionRow
	err := d.store.Reader(ctx).Search(ctx, &found, "SELECT "+sqlstore.SessionColumns+" FROM sessions s"+matching.String()+
		" ORDER BY id DESC LIMIT ?", append(matching.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return sqlstore.Map(found, func(row *sqlstore.SessionRow) (session.Snapshot, error) { return d.store.SessionSnapshot(row) })
}
