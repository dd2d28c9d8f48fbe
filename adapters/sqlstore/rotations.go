package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/people"
)

// Rotations stores sessions that were refreshed. It writes what Rotate and End
// change, and nothing else of a session.
func (s *Store) Rotations() people.Rotations { return s.rotations }

// rotations writes one batch at a time. Two overlapped while the disk was waited
// for, but made the batches smaller, which cost the database more than that saved.
type rotations struct {
	store *Store
	group batch.Group[rotation, struct{}]
}

// rotation is one session to store, with its events encoded: the session itself
// stays its caller's, who may be gone when the batch is written.
type rotation struct {
	id     string
	state  []any
	events [][]any
	// runs are those of the flows that decided about it.
	runs Rows
}

func newRotations(s *Store) *rotations {
	r := &rotations{store: s}
	r.group.Run = r.run
	return r
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

// Store stores a session together with those that wait at the same time, or in
// the transaction around the command. One that ended waits for who acts by it, so it keeps
// nobody else waiting.
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
func (r *rotations) storeAlone(ctx context.Context, one rotation, ended bool) error {
	var lost map[string]bool
	err := r.store.retry(ctx, func() error {
		return r.store.transact(ctx, func(tx *Tx) (err error) {
			if ended {
				err = tx.HoldOff(ctx, "sessions", "id", one.id)
			}
			if err == nil {
				lost, err = r.write(ctx, tx, []rotation{one})
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

// encode returns what there is to write for a session.
func (r *rotations) encode(ctx context.Context, s *session.Session, happened []event.Data, decidedBy []flow.Run) (rotation, error) {
	snapshot := s.Snapshot()
	one := rotation{
		id: snapshot.ID.String(),
		state: []any{
			snapshot.ID.String(), s.Version(), string(snapshot.Refresh), string(snapshot.Previous),
			At(snapshot.RotatedAt), At(snapshot.LastUsedAt), At(snapshot.EndedAt), snapshot.EndReason, At(PurgeAt(snapshot)),
		},
		events: make([][]any, len(happened)),
	}
	for i, data := range happened {
		var err error
		if one.events[i], err = r.store.eventRow(event.OriginOf(ctx), data); err != nil {
			return rotation{}, err
		}
	}
	var err error
	one.runs, err = r.store.flowRunRows(decidedBy)
	return one, err
}

// run stores a batch in one transaction.
func (r *rotations) run(ctx context.Context, asked []rotation) ([]batch.Outcome[struct{}], error) {
	outcomes := make([]batch.Outcome[struct{}], len(asked))
	first, chosen := map[string]int{}, make([]rotation, 0, len(asked))
	for i, one := range asked {
		if _, twice := first[one.id]; twice {
			outcomes[i].Err = aggregate.ErrConflict // of two rotations of one session one can win
			continue
		}
		first[one.id] = i
		chosen = append(chosen, one)
	}
	slices.SortFunc(chosen, func(a, b rotation) int { return cmp.Compare(a.id, b.id) })
	var lost map[string]bool
	err := r.store.retry(ctx, func() (err error) {
		if r.store.database.ChangesInWith {
			lost, err = r.writeAtOnce(ctx, chosen)
			return err
		}
		return r.store.transactOn(ctx, r.store.hot, func(tx *Tx) (err error) {
			lost, err = r.write(ctx, tx, chosen)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	for id := range lost {
		outcomes[first[id]].Err = aggregate.ErrConflict
	}
	return outcomes, nil
}

const rotateSessions = `
UPDATE sessions SET refresh = r.refresh, previous = r.previous, rotated_at = r.rotated_at, last_used_at = r.last_used_at,
	ended_at = r.ended_at, end_reason = r.end_reason, purge_at = r.purge_at, version = sessions.version + 1
FROM {rows id text, version bigint, refresh text, previous text, rotated_at time, last_used_at time,
	ended_at time, end_reason text, purge_at time}
WHERE sessions.id = r.id AND sessions.version = r.version
RETURNING sessions.id`

const (
	// rotating rotates and stores the events of what was rotated.
	rotating = `WITH moved AS (` + rotateSessions + `), told AS (
INSERT INTO events (` + eventColumns + `) SELECT ` + eventColumns + ` FROM {rows rotated text, ` + eventTypes + `}
WHERE r.rotated IN (SELECT m.id FROM moved m))`
	rotateAtOnce  = rotating + ` SELECT id FROM moved`
	rotateDecided = rotating + `, ran AS (` + insertFlowRunsOf + `(SELECT m.id FROM moved m)) SELECT id FROM moved`
)

// writeAtOnce is write as one statement, which is its own transaction.
func (r *rotations) writeAtOnce(ctx context.Context, chosen []rotation) (lost map[string]bool, err error) {
	var happened, runs Rows
	for _, one := range chosen {
		happened = append(happened, rowsOf(one.id, one.events)...)
		runs = append(runs, rowsOf(one.id, one.runs)...)
	}
	text, args := rotateAtOnce, []any{states(chosen), happened}
	if len(runs) > 0 {
		text, args = rotateDecided, append(args, runs)
	}
	var stored []string
	if err := (&Queries{pool: r.store.hot}).List(ctx, &stored, text, args...); err != nil {
		return nil, fmt.Errorf("write rotated sessions: %w", err)
	}
	return missing(chosen, stored), nil
}

func states(chosen []rotation) Rows {
	table := make(Rows, len(chosen))
	for i, one := range chosen {
		table[i] = one.state
	}
	return table
}

// missing returns the identifiers of the rotations that were not stored.
func missing(chosen []rotation, stored []string) map[string]bool {
	lost := make(map[string]bool, len(chosen))
	for _, one := range chosen {
		lost[one.id] = true
	}
	for _, id := range stored {
		delete(lost, id)
	}
	return lost
}

// write stores sessions that nobody changed since they were read, with their
// events; it returns the identifiers of the others.
func (r *rotations) write(ctx context.Context, tx *Tx, chosen []rotation) (lost map[string]bool, err error) {
	var stored []string
	if err := tx.List(ctx, &stored, rotateSessions, states(chosen)); err != nil {
		return nil, fmt.Errorf("write rotated sessions: %w", err)
	}
	lost = missing(chosen, stored)
	var happened, runs Rows
	for _, one := range chosen {
		if !lost[one.id] {
			happened, runs = append(happened, one.events...), append(runs, one.runs...)
		}
	}
	if len(happened) > 0 {
		if _, err := tx.Exec(ctx, insertEvents, happened); err != nil {
			return nil, fmt.Errorf("store the events of rotated sessions: %w", err)
		}
	}
	return lost, tx.writeFlowRuns(ctx, runs)
}
