package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
)

// moves writes the changes of a table whose rows change often. Concurrent changes share one
// commit. It writes one batch at a time: two overlapping batches used the time of the disk, but
// were smaller, which cost the database more than it saved.
type moves struct {
	store *Store
	group batch.Group[move, struct{}]
	// update changes the rows that nobody changed since they were read, and returns their
	// identifiers; atOnce stores their events in the same statement, decided the runs of flows, too.
	update, atOnce, decided string
}

// move is one row to change, with its encoded events. It does not refer to the aggregate, whose
// caller may have given up by the time the batch is written.
type move struct {
	id     string
	state  []any
	events [][]any
	// runs are the runs of the flows that decided about it.
	runs Rows
}

func newMoves(s *Store, update string) *moves {
	moving := `WITH moved AS (` + update + `), ` + insertEventsOf + `(SELECT m.id FROM moved m)` + queueStored
	m := &moves{
		store: s, update: update, atOnce: moving + ` SELECT id FROM moved`,
		decided: moving + `, ran AS (` + insertFlowRunsOf + `(SELECT m.id FROM moved m)) SELECT id FROM moved`,
	}
	m.group.Run = m.run
	return m
}

// eventRows returns the values of events in the column order of insertEvents.
func (s *Store) eventRows(ctx context.Context, happened []event.Data) ([][]any, error) {
	rows, origin := make([][]any, len(happened)), event.OriginOf(ctx)
	for n, data := range happened {
		var err error
		if rows[n], err = s.eventRow(origin, data); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// run stores a batch in one transaction.
func (m *moves) run(ctx context.Context, asked []move) ([]batch.Outcome[struct{}], error) {
	outcomes := make([]batch.Outcome[struct{}], len(asked))
	first, chosen := map[string]int{}, make([]move, 0, len(asked))
	for i, one := range asked {
		if _, twice := first[one.id]; twice {
			outcomes[i].Err = aggregate.ErrConflict // of two changes of one row one can win
			continue
		}
		first[one.id] = i
		chosen = append(chosen, one)
	}
	slices.SortFunc(chosen, func(a, b move) int { return cmp.Compare(a.id, b.id) })
	var lost map[string]bool
	err := m.store.retry(ctx, func() (err error) {
		if m.store.database.ChangesInWith {
			lost, err = m.writeAtOnce(ctx, chosen)
			return err
		}
		return m.store.transactOn(ctx, m.store.hot, func(tx *Tx) (err error) {
			lost, err = m.write(ctx, tx, chosen)
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

// writeAtOnce is like write, in a single statement that is its own transaction.
func (m *moves) writeAtOnce(ctx context.Context, chosen []move) (lost map[string]bool, err error) {
	var happened, runs Rows
	for _, one := range chosen {
		happened = append(happened, rowsOf(one.id, one.events)...)
		runs = append(runs, rowsOf(one.id, one.runs)...)
	}
	text, args := m.atOnce, []any{states(chosen), happened}
	if len(runs) > 0 {
		text, args = m.decided, append(args, runs)
	}
	var stored []string
	if err := (&Queries{pool: m.store.hot}).List(ctx, &stored, text, args...); err != nil {
		return nil, fmt.Errorf("change rows: %w", err)
	}
	return missing(chosen, stored), nil
}

func states(chosen []move) Rows {
	table := make(Rows, len(chosen))
	for i, one := range chosen {
		table[i] = one.state
	}
	return table
}

// missing returns the identifiers of the rows that were not changed.
func missing(chosen []move, stored []string) map[string]bool {
	lost := make(map[string]bool, len(chosen))
	for _, one := range chosen {
		lost[one.id] = true
	}
	for _, id := range stored {
		delete(lost, id)
	}
	return lost
}

// write changes the rows that were not changed since they were read, and stores their events.
// It returns the identifiers of the others.
func (m *moves) write(ctx context.Context, tx *Tx, chosen []move) (lost map[string]bool, err error) {
	var stored []string
	if err := tx.List(ctx, &stored, m.update, states(chosen)); err != nil {
		return nil, fmt.Errorf("change rows: %w", err)
	}
	lost = missing(chosen, stored)
	var happened, runs Rows
	for _, one := range chosen {
		if !lost[one.id] {
			happened, runs = append(happened, one.events...), append(runs, one.runs...)
		}
	}
	if len(happened) > 0 {
		if err := tx.insertEvents(ctx, happened); err != nil {
			return nil, err
		}
	}
	return lost, tx.writeFlowRuns(ctx, runs)
}
