package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"gatehouse.internal/adapters/counting"
	"gatehouse.internal/ports/outbound"
)

// admissionState is what a batch of asks needs to know.
type admissionState struct {
	revision int64
	found    map[credentialKey]credentialRow
	counters map[string]*counter
}

// counts tells whether an ask of the batch counts.
func (s *admissionState) counts(ask outbound.AdmissionAsk) bool {
	return counting.Counts(ask, s.revision, s.found[credentialOf(ask)] != nil)
}

// What a row of a statement for admissions is about.
const (
	aboutCredential = iota
	aboutCounter
	aboutInstance
)

// commonColumns is how many columns all rows have: what the row is about, a key,
// a version and the state of a counter.
const commonColumns = 4

const plainRows = `SELECT 1 AS about, l.key AS key, l.version AS version, l.state AS state%s
		FROM rate_limits l WHERE l.key {any key text}
	UNION ALL SELECT 2, '', i.revision, CAST(NULL AS {bytes})%[1]s FROM instance i WHERE i.id = 1`

// read answers what a batch of asks needs to know: in one statement, where all
// that present a credential present the same kind of it. Of the counters it gives
// those of some asks; it counts others along, if there are any.
func (a *admission) read(
	ctx context.Context, q *queries, asks []outbound.AdmissionAsk, count []int, along *presumedBatch,
) (*admissionState, error) {
	state := &admissionState{found: map[credentialKey]credentialRow{}, counters: map[string]*counter{}}
	presented, keys := state.gather(asks), state.gatherCounters(asks, count)
	asked := false
	for kind, credentials := range presented {
		if len(credentials) == 0 {
			continue
		}
		l, args := a.lookUps[kind].along(along, credentials, keys)
		if err := state.query(ctx, q, kind, l, args); err != nil {
			return nil, err
		}
		keys, along, asked = nil, nil, true
	}
	if asked {
		return state, nil
	}
	l, args := a.lookUps[noCredential].along(along, keys)
	return state, state.query(ctx, q, noCredential, l, args)
}

// gather gives the credentials there are to look up, each once, by their kind.
func (s *admissionState) gather(asks []outbound.AdmissionAsk) (presented [credentialKinds]rows) {
	for _, ask := range asks {
		of := credentialOf(ask)
		if _, known := s.found[of]; !known && of.kind != noCredential {
			s.found[of] = nil
			presented[of.kind] = append(presented[of.kind], []any{of.key})
		}
	}
	return presented
}

// gatherCounters gives the keys of the counters of some asks, each once.
func (s *admissionState) gatherCounters(asks []outbound.AdmissionAsk, of []int) (keys rows) {
	for _, i := range of {
		for _, check := range asks[i].Checks {
			if s.counters[check.Key] == nil {
				s.counters[check.Key] = &counter{Key: check.Key}
				keys = append(keys, []any{check.Key})
			}
		}
	}
	return keys
}

// query runs one statement and takes all of its rows in.
func (s *admissionState) query(ctx context.Context, q *queries, kind int, l lookUp, args []any) error {
	stmt, bound, err := q.ready(ctx, l.text, args)
	if err != nil {
		return fmt.Errorf("prepare to read for admissions: %w", err)
	}
	found, err := stmt.QueryContext(ctx, bound...)
	if err != nil {
		return fmt.Errorf("read for admissions: %w", err)
	}
	defer found.Close()
	if err := s.scan(found, kind, l); err != nil {
		return fmt.Errorf("read for admissions: %w", err)
	}
	return nil
}

func (s *admissionState) scan(found *sql.Rows, kind int, l lookUp) error {
	var about, version int64
	var key string
	var state []byte
	common := make([]any, 0, commonColumns+l.columns)
	common = append(common, &about, &key, &version, &state)
	for range l.columns {
		common = append(common, ignored{})
	}
	whole, instances := make([]any, commonColumns, commonColumns+l.columns), 0
	for i := range whole {
		whole[i] = ignored{}
	}
	for found.Next() {
		state = nil
		if err := found.Scan(common...); err != nil {
			return err
		}
		switch about {
		case aboutCredential:
			row := l.row()
			if err := found.Scan(append(whole, row.into()...)...); err != nil {
				return err
			}
			s.found[credentialKey{kind, key}] = row
		case aboutCounter:
			known := s.counters[key]
			known.Base, known.State = version, state
		case aboutInstance:
			s.revision = max(s.revision, version)
			instances++
		}
	}
	if err := found.Err(); err != nil {
		return err
	}
	if instances == 0 {
		return errNoInstance
	}
	return nil
}

// ignored takes a column that nobody wants.
type ignored struct{}

// Scan does nothing.
func (ignored) Scan(any) error { return nil }
