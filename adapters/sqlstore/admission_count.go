package sqlstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
)

// counter is the state of one limit for one subject while a batch counts.
type counter struct {
	key string
	// base is the stored version the state was read at, 0 when there was none.
	base  int64
	state []byte
	// expires is when the state is worth nothing; unset while nothing was counted.
	expires time.Time
}

// counters are those of one batch, at one moment.
type counters struct {
	now   time.Time
	byKey map[string]*counter
	// whole tells that they must be written all or none, because an ask counted at
	// several of them.
	whole bool
}

// judge passes an ask and counts it at all of its checks, or refuses it and
// counts it at none. Verdicts of a refused ask tell what stands without it.
func (c *counters) judge(checks []outbound.LimitCheck) []limit.Verdict {
	if len(checks) == 0 {
		return nil
	}
	verdicts, before := make([]limit.Verdict, len(checks)), make([][]byte, len(checks))
	for i, check := range checks {
		counted := c.byKey[check.Key]
		before[i] = counted.state
		counted.state, verdicts[i] = check.Rule.Admit(counted.state, c.now)
		if verdicts[i].Allowed {
			continue
		}
		for j := i; j >= 0; j-- {
			c.byKey[checks[j].Key].state = before[j]
		}
		for j, other := range checks {
			if j != i {
				verdicts[j] = other.Rule.Peek(c.byKey[other.Key].state, c.now)
			}
		}
		return verdicts
	}
	for _, check := range checks {
		counted := c.byKey[check.Key]
		counted.expires = later(counted.expires, expiry(check.Rule, c.now))
		c.whole = c.whole || len(checks) > 1
	}
	return verdicts
}

// expiry rounds up to whole windows. PostgreSQL need not touch an index as long as
// a counter is written with the same expiry.
func expiry(rule limit.Rule, now time.Time) time.Time {
	expires := rule.Expiry(now)
	rounded := expires.Truncate(rule.Window)
	if rounded.Before(expires) {
		rounded = rounded.Add(rule.Window)
	}
	return rounded
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// changed gives the counters that counted something, by key: batches that write
// the same counters in the same order wait for each other and do not deadlock.
func (c *counters) changed() []*counter {
	var changed []*counter
	for _, one := range c.byKey {
		if !one.expires.IsZero() {
			changed = append(changed, one)
		}
	}
	slices.SortFunc(changed, func(a, b *counter) int { return cmp.Compare(a.key, b.key) })
	return changed
}

// touching tells which asks have a check with one of the keys.
func touching(asks []outbound.AdmissionAsk, keys map[string]bool) []int {
	var indices []int
	for i, ask := range asks {
		if slices.ContainsFunc(ask.Checks, func(check outbound.LimitCheck) bool { return keys[check.Key] }) {
			indices = append(indices, i)
		}
	}
	return indices
}

// writeCounters leaves out the counters that another replica changed meanwhile.
const writeCounters = `
INSERT INTO rate_limits (key, state, version, expires_at)
SELECT r.key, r.state, r.version, r.expires_at FROM {rows key text, state bytes, version bigint, expires_at time} WHERE TRUE
ON CONFLICT (key) DO UPDATE SET state = excluded.state, version = excluded.version, expires_at = excluded.expires_at
	WHERE rate_limits.version = excluded.version - 1
RETURNING key`

// holdCounters locks counters, making those that are not there, and reads them.
const holdCounters = `
INSERT INTO rate_limits (key, state, version, expires_at)
SELECT r.key, r.state, r.version, r.expires_at FROM {rows key text, state bytes, version bigint, expires_at time} WHERE TRUE
ON CONFLICT (key) DO UPDATE SET version = rate_limits.version + 1
RETURNING key, version, state`

var errOvertaken = errors.New("another replica changed a counter")

// count stores what a batch counted, unless another replica counted meanwhile; it
// gives the keys of the counters that were not stored.
func (a *admission) count(ctx context.Context, counting *counters) (lost map[string]bool, err error) {
	changed := counting.changed()
	if !counting.whole {
		lost, err = a.write(ctx, &queries{pool: a.store.hot}, changed)
	} else {
		err = a.store.transactOn(ctx, a.store.hot, func(tx *Tx) error {
			missed, err := a.write(ctx, tx.q, changed)
			if err == nil && len(missed) > 0 {
				return errOvertaken
			}
			return err
		})
	}
	if errors.Is(err, errOvertaken) || a.store.dialect.Failure(err) == Transient {
		return keysOf(changed), nil
	}
	return lost, err
}

// write stores counters that nobody changed since they were read; it gives the
// keys of the others.
func (a *admission) write(ctx context.Context, q *queries, changed []*counter) (lost map[string]bool, err error) {
	if len(changed) == 0 {
		return nil, nil
	}
	table := make(rows, len(changed))
	for i, one := range changed {
		version := one.base + 1
		if one.base == 0 {
			version = a.freshVersion()
		}
		table[i] = []any{one.key, one.state, version, at(one.expires)}
	}
	var written []string
	if err := q.list(ctx, &written, writeCounters, table); err != nil {
		return nil, fmt.Errorf("write counters: %w", err)
	}
	if len(written) == len(changed) {
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
		keys[one.key] = true
	}
	return keys
}

// recount judges some asks of a batch again, in a transaction that holds their
// counters: so it ends, however many replicas count.
func (a *admission) recount(ctx context.Context, asks []outbound.AdmissionAsk, which []int, outcomes []batch.Outcome[admitted]) error {
	return a.store.retry(ctx, func() error {
		return a.store.transactOn(ctx, a.store.hot, func(tx *Tx) error {
			counting, err := a.hold(ctx, tx.q, asks, which)
			if err != nil {
				return err
			}
			for _, i := range which {
				outcomes[i].Answer.verdicts = counting.judge(asks[i].Checks)
			}
			lost, err := a.write(ctx, tx.q, counting.changed())
			if err == nil && len(lost) > 0 {
				return aggregate.ErrConflict
			}
			return err
		})
	})
}

// hold locks the counters of some asks and reads them. Those that it makes are
// empty, and expire like those that counted.
func (a *admission) hold(ctx context.Context, q *queries, asks []outbound.AdmissionAsk, which []int) (*counters, error) {
	wanted, now := map[string]time.Time{}, a.store.clock.Now()
	for _, i := range which {
		for _, check := range asks[i].Checks {
			wanted[check.Key] = later(wanted[check.Key], expiry(check.Rule, now))
		}
	}
	var table rows
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		table = append(table, []any{key, []byte{}, a.freshVersion(), at(wanted[key])})
	}
	var held []struct {
		Key     string `db:"key"`
		Version int64  `db:"version"`
		State   []byte `db:"state"`
	}
	if err := q.list(ctx, &held, holdCounters, table); err != nil {
		return nil, fmt.Errorf("hold counters: %w", err)
	}
	counting := &counters{now: a.store.clock.Now(), byKey: make(map[string]*counter, len(held))}
	for _, stored := range held {
		counting.byKey[stored.Key] = &counter{key: stored.Key, base: stored.Version, state: bytes.Clone(stored.State)}
	}
	return counting, nil
}

// freshVersion is where the versions of a new counter begin: by chance, so that one
// which was removed and made anew, or two that are made at once, are not taken for
// each other.
func (a *admission) freshVersion() int64 {
	return int64(binary.LittleEndian.Uint64(a.store.random.Bytes(8)) >> 2)
}
