package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"gatehouse.internal/adapters/counting"
	"gatehouse.internal/ports/outbound"
)

// admissionState is what the batch has read.
type admissionState struct {
	revision int64
	found    map[credentialKey]credentialRow
	counters map[string]*counter
}

// due returns the limits that an ask counts at.
func (s *admissionState) due(of *Store, ask outbound.AdmissionAsk) ([]outbound.LimitCheck, error) {
	if len(ask.Checks)+len(ask.Failed) == 0 {
		return nil, nil
	}
	proven, err := s.proven(of, ask)
	if proven && ask.Proven != nil { // the counters of others are followed before
		of.memory.follow(ask.Checks)
	}
	return counting.Due(ask, s.revision, proven), err
}

// proven reports whether the credential that was read confirms what an ask presents. An API
// key needs no proof beyond its existence.
func (s *admissionState) proven(of *Store, ask outbound.AdmissionAsk) (bool, error) {
	var answer outbound.AdmissionAnswer
	found := s.found[credentialOf(ask)]
	switch {
	case found == nil && ask.Key != "":
		return false, nil
	case ask.Proven == nil:
		return true, nil
	case found != nil:
		if err := found.answer(of, &answer); err != nil {
			return false, err
		}
	}
	return ask.Proven(answer), nil
}

// The kinds of rows that a look-up returns.
const (
	aboutCredential = iota
	aboutCounter
	aboutInstance
	// aboutPresumption is what fails a statement that presumed wrongly; no row is returned.
	aboutPresumption
	aboutAudience
)

// commonColumns is the number of columns that all rows share: the kind of row, a key, a
// version and the state of a counter.
const commonColumns = 4

// The columns of rows that are not about counters.
const (
	noKey     = `''`
	noVersion = `CAST(0 AS BIGINT)`
	noState   = `CAST(NULL AS {bytes})`
)

// commonOf begins the statement of one kind of rows.
func commonOf(about int, key, version, state string) string {
	return fmt.Sprintf("SELECT %d AS about, %s AS key, %s AS version, %s AS state", about, key, version, state)
}

// plainRows reads counters and the revision of the instance, with columns that are empty.
func plainRows(empty string) string {
	return commonOf(aboutCounter, "l.key", "l.version", "l.state") + empty + ` FROM rate_limits l WHERE l.key {any key text}
	UNION ALL ` + commonOf(aboutInstance, noKey, "i.revision", noState) + empty + ` FROM instance i WHERE i.id = 1`
}

// read runs the look-ups of a batch: a single statement if all credentials are of one kind. It
// reads the counters of some of the asks, and counts those of others if there are any.
func (a *admission) read(
	ctx context.Context, q *Queries, asks []outbound.AdmissionAsk, count []int, along *presumedBatch,
) (*admissionState, error) {
	state := &admissionState{found: map[credentialKey]credentialRow{}, counters: map[string]*counter{}}
	presented, keys := state.gather(asks), state.gatherCounters(asks, count)
	targets := state.gatherAudiences(asks)
	asked := false
	for kind, credentials := range presented {
		if len(credentials) == 0 {
			continue
		}
		l, args := a.lookUps[kind].withCounting(along, credentials, keys)
		if kind == clientCredential && len(targets) > 0 {
			l, args = a.targets.withCounting(along, credentials, targets, keys)
		}
		if err := state.query(ctx, q, kind, l, args); err != nil {
			return nil, err
		}
		keys, along, asked = nil, nil, true
	}
	if asked {
		return state, nil
	}
	l, args := a.lookUps[noCredential].withCounting(along, keys)
	return state, state.query(ctx, q, noCredential, l, args)
}

// gather returns the credentials to look up by their kind, without duplicates.
func (s *admissionState) gather(asks []outbound.AdmissionAsk) (presented [credentialKinds]Rows) {
	for _, ask := range asks {
		of := credentialOf(ask)
		if _, known := s.found[of]; !known && of.kind != noCredential {
			s.found[of] = nil
			presented[of.kind] = append(presented[of.kind], of.row(ask))
		}
	}
	return presented
}

// gatherAudiences returns the audiences that clients ask for, without duplicates.
func (s *admissionState) gatherAudiences(asks []outbound.AdmissionAsk) (names Rows) {
	for _, ask := range asks {
		of := audienceOf(ask)
		if _, known := s.found[of]; !known && of.kind == audienceOfClient {
			s.found[of] = nil
			names = append(names, []any{of.key})
		}
	}
	return names
}

// gatherCounters returns the keys of the counters of some asks, without duplicates.
func (s *admissionState) gatherCounters(asks []outbound.AdmissionAsk, of []int) (keys Rows) {
	for _, i := range of {
		for _, checks := range [][]outbound.LimitCheck{asks[i].Checks, asks[i].Failed} {
			for _, check := range checks {
				if s.counters[check.Key] == nil {
					s.counters[check.Key] = &counter{Key: check.Key}
					keys = append(keys, []any{check.Key})
				}
			}
		}
	}
	return keys
}

// query runs one statement and adds its rows to the state.
func (s *admissionState) query(ctx context.Context, q *Queries, kind int, l lookUp, args []any) error {
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
	instances := 0
	for found.Next() {
		state = nil
		if err := found.Scan(common...); err != nil {
			return err
		}
		switch about {
		case aboutCredential:
			row := l.row()
			if err := found.Scan(l.into(row, commonColumns)...); err != nil {
				return err
			}
			s.found[credentialKey{kind, key}] = row
		case aboutAudience:
			row := l.beside()
			if err := found.Scan(l.into(row, commonColumns+len(l.row().into()))...); err != nil {
				return err
			}
			s.found[credentialKey{audienceOfClient, key}] = row
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
		return ErrNoInstance
	}
	return nil
}

// into returns where to scan a row whose values begin behind the given number of columns.
func (l lookUp) into(row credentialRow, behind int) []any {
	columns := make([]any, 0, commonColumns+l.columns)
	for range behind {
		columns = append(columns, ignored{})
	}
	columns = append(columns, row.into()...)
	for len(columns) < commonColumns+l.columns {
		columns = append(columns, ignored{})
	}
	return columns
}

// ignored discards a column.
type ignored struct{}

// Scan does nothing.
func (ignored) Scan(any) error { return nil }
