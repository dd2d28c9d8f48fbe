package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"gatehouse.internal/adapters/counting"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/wait"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// countersSuffix names the file of the counters, beside the database.
const countersSuffix = ".counters"

// countPatience bounds how long a request waits to be counted.
const countPatience = 3 * time.Second

// errBusy refuses a request that could not be counted because another process kept the counters
// locked.
var errBusy = fault.Unavailable("the service is busy: wait until the time in Retry-After has passed", time.Second)

const countersSchema = `
CREATE TABLE IF NOT EXISTS rate_limits (key TEXT PRIMARY KEY, state BLOB NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS rate_limits_expires_at ON rate_limits (expires_at);`

// Counters are the counters of rate limits, in a file of their own.
//
// # Decision: every call is counted beside the database
//
// Context: SQLite has one writer for each file, and every call counts at a limit, also one
// that only reads. While a long write held the writer, no call was admitted.
//
// Choice: the counters are in a second file, whose writer is never held for longer than it
// takes to write one batch of them. Each batch is one transaction, so that processes on one
// file count together. A counter that is lost with the file begins anew, as on PostgreSQL,
// where the table is not logged.
//
// What would change our mind: a database of one file where several may write.
type Counters struct {
	db          *sqlx.DB
	look, store *sqlx.Stmt
	clock       outbound.Clock
	group       batch.Group[[]outbound.LimitCheck, []limit.Verdict]
	// sweptAt is when expired counters were last removed, in microseconds.
	sweptAt atomic.Int64
	// failing is set when a batch has failed and none has succeeded since.
	failing atomic.Bool
}

var _ ops.LimitCounters = (*Counters)(nil)

// OpenCounters opens the counters beside a database.
func OpenCounters(ctx context.Context, database string, clock outbound.Clock) (*Counters, error) {
	file := database + countersSuffix
	if err := create(file); err != nil {
		return nil, fmt.Errorf("create the counter database: %w", err)
	}
	db, err := openPool(file, 1, url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(0)"}})
	if err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, countersSchema); err != nil {
		return nil, errors.Join(fmt.Errorf("create the table of counters: %w", err), db.Close())
	}
	c := &Counters{db: db, clock: clock}
	if err := c.prepare(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	c.group.Run, c.group.Timeout = c.run, countPatience
	return c, nil
}

func (c *Counters) prepare(ctx context.Context) (err error) {
	if c.look, err = c.db.PreparexContext(ctx, `SELECT state FROM rate_limits WHERE key = ?`); err != nil {
		return fmt.Errorf("prepare to read counters: %w", err)
	}
	c.store, err = c.db.PreparexContext(ctx, `
		INSERT INTO rate_limits (key, state, expires_at) VALUES (?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET state = excluded.state, expires_at = excluded.expires_at`)
	if err != nil {
		return fmt.Errorf("prepare to write counters: %w", err)
	}
	return nil
}

// Close closes the file.
func (c *Counters) Close() error {
	if err := c.db.Close(); err != nil {
		return fmt.Errorf("close the counters: %w", err)
	}
	return nil
}

// Admission asks the store for everything but the limits, and then counts here.
func (c *Counters) Admission(store outbound.Admission) outbound.Admission {
	return counting.SeparateAdmission{Store: store, Count: c.count}
}

// Rules returns the store's limits, whose counters are here. Last registers what to do when
// the transaction that they are changed in is about to commit.
func (c *Counters) Rules(stored ops.LimitRules, last func(do func(ctx context.Context) error)) ops.LimitRules {
	return counting.Rules{LimitRules: stored, Last: last, Forget: c.forget}
}

// Ping fails if counting failed and does so still.
func (c *Counters) Ping(ctx context.Context) error {
	if !c.failing.Load() {
		return nil
	}
	_, err := c.count(ctx, []outbound.LimitCheck{{Key: "probe", Rule: limit.Rule{Limit: limit.MaxLimit, Window: limit.MinWindow}}})
	return err
}

func (c *Counters) count(ctx context.Context, due []outbound.LimitCheck) ([]limit.Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, countPatience)
	defer cancel()
	verdicts, err := c.group.Do(ctx, due)
	switch {
	case err == nil:
		return verdicts, nil
	case errors.Is(err, context.DeadlineExceeded) || (Dialect{}).Failure(err) == sqlstore.Transient:
		return nil, errBusy.Because(err)
	default:
		return nil, fmt.Errorf("count at rate limits: %w", err)
	}
}

type (
	counter  = counting.Counter[struct{}]
	counters = counting.Counters[struct{}]
)

// busyPause is how long to wait for another process that counts. SQLite itself waits for up
// to a hundred times as long, so that of two busy processes one would starve.
const busyPause = time.Millisecond

// run counts a batch, after those of other processes.
func (c *Counters) run(ctx context.Context, asks [][]outbound.LimitCheck) ([]batch.Outcome[[]limit.Verdict], error) {
	for {
		outcomes, err := c.attempt(ctx, asks)
		if err != nil && (Dialect{}).Failure(err) == sqlstore.Transient && wait.For(ctx, busyPause) == nil {
			continue
		}
		c.failing.Store(err != nil)
		return outcomes, err
	}
}

// attempt counts a batch in one transaction, which locks all counters from its beginning on.
func (c *Counters) attempt(ctx context.Context, asks [][]outbound.LimitCheck) (outcomes []batch.Outcome[[]limit.Verdict], err error) {
	tx, err := c.db.BeginTxx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("begin to count: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing once it was committed
	judged, err := c.read(ctx, tx, asks)
	if err != nil {
		return nil, err
	}
	outcomes = make([]batch.Outcome[[]limit.Verdict], len(asks))
	for i, checks := range asks {
		outcomes[i].Answer = judged.Judge(checks)
	}
	if err := c.write(ctx, tx, judged); err != nil {
		return nil, err
	}
	if err := tx.Commit(); err != nil {
		return nil, fmt.Errorf("commit counters: %w", err)
	}
	return outcomes, nil
}

// read returns the counters of a batch as they are stored.
func (c *Counters) read(ctx context.Context, tx *sqlx.Tx, asks [][]outbound.LimitCheck) (*counters, error) {
	look, found := tx.StmtxContext(ctx, c.look), &counters{Now: c.clock.Now(), ByKey: map[string]*counter{}}
	for _, checks := range asks {
		for _, check := range checks {
			if found.ByKey[check.Key] != nil {
				continue
			}
			state, err := stateOf(ctx, look, check.Key)
			if err != nil {
				return nil, err
			}
			found.ByKey[check.Key] = &counter{Key: check.Key, State: state}
		}
	}
	return found, nil
}

// write stores the counters that counted something.
func (c *Counters) write(ctx context.Context, tx *sqlx.Tx, judged *counters) error {
	store := tx.StmtxContext(ctx, c.store)
	for _, one := range judged.Changed() {
		if _, err := store.ExecContext(ctx, one.Key, one.State, one.Expires.UnixMicro()); err != nil {
			return fmt.Errorf("write a counter: %w", err)
		}
	}
	return c.sweep(ctx, tx, judged.Now)
}

const (
	sweepPause = time.Second
	mostSwept  = 500
)

// sweep removes some expired counters, at most once a second.
func (c *Counters) sweep(ctx context.Context, tx *sqlx.Tx, now time.Time) error {
	if now.Sub(time.UnixMicro(c.sweptAt.Load())) < sweepPause {
		return nil
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM rate_limits WHERE key IN (SELECT key FROM rate_limits WHERE expires_at <= ? LIMIT ?)`,
		now.UnixMicro(), mostSwept)
	if err != nil {
		return fmt.Errorf("remove expired counters: %w", err)
	}
	c.sweptAt.Store(now.UnixMicro())
	return nil
}

// State returns the state of a counter, nil when there is none.
func (c *Counters) State(ctx context.Context, key string) ([]byte, error) {
	return stateOf(ctx, c.look, key)
}

func stateOf(ctx context.Context, look *sqlx.Stmt, key string) ([]byte, error) {
	var found [][]byte
	if err := look.SelectContext(ctx, &found, key); err != nil {
		return nil, fmt.Errorf("read a counter: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return found[0], nil
}

// forget removes counters.
func (c *Counters) forget(ctx context.Context, keys []string) error {
	for _, key := range keys {
		if _, err := c.db.ExecContext(ctx, `DELETE FROM rate_limits WHERE key = ?`, key); err != nil {
			return fmt.Errorf("remove a counter: %w", err)
		}
	}
	return nil
}
