package sqlstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"gatehouse.internal/adapters/counting"
	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/ports/outbound"
)

// A state is known by its version, which is 0 where there was none.
type (
	counter  = counting.Counter[int64]
	counters = counting.Counters[int64]
)

// touches reports whether one of the checks has one of the keys.
func touches(checks []outbound.LimitCheck, keys map[string]bool) bool {
	return slices.ContainsFunc(checks, func(check outbound.LimitCheck) bool { return keys[check.Key] })
}

// writeCounters leaves out the counters that another replica changed meanwhile.
const writeCounters = `
INSERT INTO rate_limits (key, state, version, expires_at)
SELECT r.key, r.state, r.version, r.expires_at FROM {rows key text, state bytes, version bigint, expires_at time} WHERE TRUE
ON CONFLICT (key) DO UPDATE SET state = excluded.state, version = excluded.version, expires_at = excluded.expires_at
	WHERE rate_limits.version = excluded.version - 1
RETURNING key`

// writeCountersWhole writes all counters, or fails as ConditionFailed and writes none. As one
// statement it is its own transaction.
const writeCountersWhole = `WITH counted AS (` + writeCounters + `)
SELECT key FROM counted WHERE 1 / (CASE WHEN (SELECT COUNT(*) FROM counted) = ? THEN 1 ELSE 0 END) = 1`

// holdCounters locks counters, creating those that do not exist, and reads them.
const holdCounters = `
INSERT INTO rate_limits (key, state, version, expires_at)
SELECT r.key, r.state, r.version, r.expires_at FROM {rows key text, state bytes, version bigint, expires_at time} WHERE TRUE
ON CONFLICT (key) DO UPDATE SET version = rate_limits.version + 1
RETURNING key, version, state`

var errOvertaken = errors.New("another replica changed a counter")

// count stores the counters of a batch unless another replica has changed them meanwhile. It
// returns the keys of those that were not stored.
func (a *admission) count(ctx context.Context, judged *counters) (lost map[string]bool, err error) {
	changed, hot := judged.Changed(), &Queries{pool: a.store.hot}
	switch {
	case !judged.Whole || len(changed) < 2:
		lost, err = a.write(ctx, hot, writeCounters, changed)
	case a.store.database.ChangesInWith:
		lost, err = a.write(ctx, hot, writeCountersWhole, changed, int64(len(changed)))
	default:
		err = a.store.transactOn(ctx, a.store.hot, func(tx *Tx) error {
			missed, err := a.write(ctx, tx.Queries, writeCounters, changed)
			if err == nil && len(missed) > 0 {
				return errOvertaken
			}
			return err
		})
	}
	if failure := a.store.dialect.Failure(err); errors.Is(err, errOvertaken) || failure == ConditionFailed || failure == Transient {
		return keysOf(changed), nil
	}
	return lost, err
}

// write stores the counters that are unchanged since they were read, and returns the keys of
// the others.
func (a *admission) write(ctx context.Context, q *Queries, text string, changed []*counter, more ...any) (lost map[string]bool, err error) {
	if len(changed) == 0 {
		return nil, nil
	}
	table, versions := make(Rows, len(changed)), make([]int64, len(changed))
	for i, one := range changed {
		versions[i] = one.Base + 1
		if one.Base == 0 {
			versions[i] = a.freshVersion()
		}
		table[i] = []any{one.Key, one.State, versions[i], At(one.Expires)}
	}
	var written []string
	if err := q.List(ctx, &written, text, append([]any{table}, more...)...); err != nil {
		return nil, fmt.Errorf("write counters: %w", err)
	}
	if len(written) == len(changed) {
		a.store.memory.wrote(changed, versions)
		return nil, nil
	}
	lost = keysOf(changed)
	for _, key := range written {
		delete(lost, key)
	}
	return lost, nil
}

func keysOf(changed []*counter) map[string]bool {
	keys := make(map[string]bool, len(changed))
	for _, one := range changed {
		keys[one.Key] = true
	}
	return keys
}

// recount judges some asks of a batch again in a transaction that locks their counters, so it
// succeeds however many replicas count at once.
func (a *admission) recount(ctx context.Context, due [][]outbound.LimitCheck, which []int, outcomes []batch.Outcome[admitted]) error {
	return a.store.retry(ctx, func() error {
		return a.store.transactOn(ctx, a.store.hot, func(tx *Tx) error {
			held, err := a.hold(ctx, tx.Queries, due, which)
			if err != nil {
				return err
			}
			for _, i := range which {
				outcomes[i].Answer.verdicts = held.Judge(due[i])
			}
			lost, err := a.write(ctx, tx.Queries, writeCounters, held.Changed())
			if err == nil && len(lost) > 0 {
				return aggregate.ErrConflict
			}
			return err
		})
	})
}

// hold locks the counters of some asks and reads them. New counters are created empty, with
// the expiry of the counters they will become.
func (a *admission) hold(ctx context.Context, q *Queries, due [][]outbound.LimitCheck, which []int) (*counters, error) {
	wanted, now := map[string]time.Time{}, a.store.clock.Now()
	for _, i := range which {
		for _, check := range due[i] {
			if expires := counting.Expiry(check.Rule, now); expires.After(wanted[check.Key]) {
				wanted[check.Key] = expires
			}
		}
	}
	var table Rows
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		table = append(table, []any{key, []byte{}, a.freshVersion(), At(wanted[key])})
	}
	var held []struct {
		Key     string `db:"key"`
		Version int64  `db:"version"`
		State   []byte `db:"state"`
	}
	if err := q.List(ctx, &held, holdCounters, table); err != nil {
		return nil, fmt.Errorf("hold counters: %w", err)
	}
	locked := &counters{Now: a.store.clock.Now(), ByKey: make(map[string]*counter, len(held))}
	for _, stored := range held {
		locked.ByKey[stored.Key] = &counter{Key: stored.Key, Base: stored.Version, State: bytes.Clone(stored.State)}
	}
	return locked, nil
}

// freshVersion returns a random first version for a new counter, so that a counter that was
// removed and created again, or created twice at once, is not mistaken for the earlier one.
func (a *admission) freshVersion() int64 {
	return int64(binary.LittleEndian.Uint64(a.store.random.Bytes(8)) >> 2)
}
