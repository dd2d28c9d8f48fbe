package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// SessionDirectory lists sessions for reading.
func (s *Store) SessionDirectory() outbound.SessionDirectory { return sessionDirectory{s} }

type sessionDirectory struct{ store *Store }

// List gives active sessions, newest first.
func (d sessionDirectory) List(ctx context.Context, query outbound.SessionQuery) ([]session.Snapshot, error) {
	matching := d.store.matchSessions(query)
	var found []sessionRow
	err := d.store.reader(ctx).search(ctx, &found, "SELECT "+sessionColumns+" FROM sessions"+matching.String()+
		" ORDER BY id DESC LIMIT ?", append(matching.args, atMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	listed := make([]session.Snapshot, len(found))
	for i := range found {
		if listed[i], err = d.store.sessionSnapshot(&found[i]); err != nil {
			return nil, err
		}
	}
	return listed, nil
}
