package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
)

// Rotations returns the port that stores refreshed sessions. It writes only what Rotate and End
// change of a session.
func (s *Store) Rotations() people.Rotations { return s.rotations }

// rotations are moves of sessions.
type rotations struct{ *moves }

func newRotations(s *Store) *rotations {
	return &rotations{newMoves(s, rotateSessions)}
}

// Read returns a session by the statement of the admissions.
func (r *rotations) Read(ctx context.Context, id session.ID) (outbound.Identity, error) {
	answer, err := r.store.behind(ctx, outbound.AdmissionAsk{Session: id})
	if err != nil {
		return outbound.Identity{}, err
	}
	if answer.Identity == nil {
		return outbound.Identity{}, session.ErrNotFound
	}
	return *answer.Identity, nil
}

// Store stores a session, batched with concurrent calls, or in the transaction around the
// command. A session that has ended is stored alone, because it has to wait for the units of
// work that act by it.
func (r *rotations) Store(ctx context.Context, s *session.Session, decidedBy ...flow.Run) error {
	copied := *s
	happened := copied.Stored()
	one, err := r.encode(ctx, s, happened, decidedBy)
	if err != nil {
		return err
	}
	if _, around := r.store.ambient(ctx); around || s.Ended() {
		err = r.storeAlone(ctx, one, s.Ended())
	} else {
		_, err = r.group.Do(ctx, one)
	}
	if err != nil {
		return fmt.Errorf("store a rotated session: %w", err)
	}
	for _, data := range s.Stored() {
		event.Stored(ctx, data.Kind())
	}
	return nil
}

// storeAlone stores a session in a transaction of its own, or in that around the command.
func (r *rotations) storeAlone(ctx context.Context, one move, ended bool) error {
	var lost map[string]bool
	err := r.store.retry(ctx, func() error {
		return r.store.transact(ctx, func(tx *Tx) (err error) {
			if ended {
				err = tx.HoldOff(ctx, "sessions", "id", one.id)
			}
			if err == nil {
				lost, err = r.write(ctx, tx, []move{one})
			}
			if err == nil && ended && !lost[one.id] {
				err = tx.QueueLogouts(ctx, session.ID(one.id))
			}
			return err
		})
	})
	if err == nil && lost[one.id] {
		return aggregate.ErrConflict
	}
	return err
}

// encode returns the change to write for a session.
func (r *rotations) encode(ctx context.Context, s *session.Session, happened []event.Data, decidedBy []flow.Run) (move, error) {
	snapshot := s.Snapshot()
	one := move{
		id: snapshot.ID.String(),
		state: []any{
			snapshot.ID.String(), s.Version(), string(snapshot.Refresh), string(snapshot.Previous),
			At(snapshot.RotatedAt), At(snapshot.LastUsedAt), At(snapshot.EndedAt), snapshot.EndReason, At(PurgeAt(snapshot)),
		},
	}
	var err error
	if one.events, err = r.store.eventRows(ctx, happened); err != nil {
		return move{}, err
	}
	one.runs, err = r.store.flowRunRows(decidedBy)
	return one, err
}

const rotateSessions = `
UPDATE sessions SET refresh = r.refresh, previous = r.previous, rotated_at = r.rotated_at, last_used_at = r.last_used_at,
	ended_at = r.ended_at, end_reason = r.end_reason, purge_at = r.purge_at, version = sessions.version + 1
FROM {rows id text, version bigint, refresh text, previous text, rotated_at time, last_used_at time,
	ended_at time, end_reason text, purge_at time}
WHERE sessions.id = r.id AND sessions.version = r.version
RETURNING sessions.id`
