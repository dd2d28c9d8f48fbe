package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
)

// Sessions gives the sessions.
func (t *Tx) Sessions() outbound.Sessions { return sessions{t} }

type sessions struct{ tx *Tx }

// ByID reads one session.
func (r sessions) ByID(ctx context.Context, id session.ID) (*session.Session, error) {
	var found sessionRow
	err := r.tx.q.get(ctx, &found, "SELECT "+sessionColumns+" FROM sessions WHERE id = ?", id.String())
	if errors.Is(err, sql.ErrNoRows) {
		return nil, session.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a session: %w", err)
	}
	return r.restore(&found)
}

func (r sessions) restore(found *sessionRow) (*session.Session, error) {
	snapshot, err := r.tx.store.sessionSnapshot(found)
	if err != nil {
		return nil, err
	}
	return session.Restore(snapshot, found.Version), nil
}

// Save stores a session.
func (r sessions) Save(ctx context.Context, s *session.Session) error {
	state, err := r.tx.store.sessionState(s.Snapshot())
	if err != nil {
		return err
	}
	if err := r.tx.save(ctx, "sessions", row{{"id", s.ID().String()}}, state, s); err != nil {
		return fmt.Errorf("save a session: %w", err)
	}
	return nil
}

// Matching reads active sessions.
func (r sessions) Matching(ctx context.Context, query outbound.SessionQuery) ([]*session.Session, error) {
	matching := r.tx.store.matchSessions(query)
	var found []sessionRow
	err := r.tx.q.list(ctx, &found, "SELECT "+sessionColumns+" FROM sessions"+matching.String()+newest(query.Limit), matching.args...)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	restored := make([]*session.Session, len(found))
	for i := range found {
		if restored[i], err = r.restore(&found[i]); err != nil {
			return nil, err
		}
	}
	return restored, nil
}
