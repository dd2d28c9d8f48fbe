// Package redis counts rate limits in Redis, where REDIS_URL names one. All else
// stays in the SQL store.
//
// All replicas of an instance must count in the same place: one that does not know
// of the Redis counts apart, and a limit is then as wide as there are places. The
// Redis must not evict keys (maxmemory-policy noeviction, its default) and has to be
// one server, whose replicas may take over; a fail-over, like a restart, may forget
// what was counted last. While it does not answer, requests that count fail.
//
// # Decision: counters are compared and swapped, then by turns
//
// Context: a limit must be exact over all replicas, and a state is judged by Go code
// that a script inside Redis does not have.
//
// Choice: as in the SQL store, requests that wait together read their counters at
// once, are judged here, and are written by one script if all of the counters are
// still as they were read. Whoever loses that race reads again. Whoever loses it
// twice takes the turn: until it has written, or a moment has passed, the script
// refuses everybody else, so that no replica starves. A state lives as long as its
// window by the clock of Redis, not until a moment by ours: clocks may differ.
//
// What would change our mind: replicas that fight for the same few counters most of
// the time; then a counter that Redis itself can judge is cheaper.
//
// # Decision: redigo, not go-redis
//
// Context: four commands and a script are sent. go-redis writes out every command of
// Redis and its modules: it was an eighth of the binary, and took longer to compile
// than SQLite. Choice: redigo, which sends any command. What would change our mind: a
// Redis Cluster, which redigo does not know.
package redis

import (
	"context"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"gatehouse.internal/adapters/counting"
	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

const (
	// patience bounds how long a request waits for its admission, or an
	// administrator for a counter.
	patience = 3 * time.Second
	// dialTime bounds one attempt to connect.
	dialTime = 2 * time.Second
	// connections is the most that one replica holds: one counts, the others are for
	// administrators and readiness.
	connections = 4
	// idleTime is when an unused connection is closed, before somebody between here
	// and Redis forgets it.
	idleTime = 4 * time.Minute
)

//go:embed swap.lua
var swap string

// Config is what counters are made of; every field is needed.
type Config struct {
	// URL is redis://user:password@host:port/number, or rediss:// with TLS.
	URL string
	// Instance begins the names of the counters, so that several services may share
	// a Redis.
	Instance string
	Clock    outbound.Clock
	Random   outbound.Random
}

// Counters are the counters of one instance.
type Counters struct {
	pool  *redis.Pool
	clock outbound.Clock
	// turn is the key of the turn; prefix begins those of the counters.
	turn, prefix string
	// name tells in Redis whose turn it is.
	name   string
	script *redis.Script
	group  batch.Group[[]outbound.LimitCheck, []limit.Verdict]
}

var _ ops.LimitCounters = (*Counters)(nil)

// Open makes counters in a Redis. It does not connect before it must, and connects
// again whenever it has to.
func Open(c Config) (*Counters, error) {
	at, err := parse(c.URL)
	if err != nil {
		return nil, err
	}
	ours := "gatehouse:{" + c.Instance + "}:"
	counters := &Counters{
		pool:  &redis.Pool{DialContext: at.dial, MaxActive: connections, MaxIdle: connections, Wait: true, IdleTimeout: idleTime},
		clock: c.Clock, turn: ours + "turn", prefix: ours + "limit:", name: hex.EncodeToString(c.Random.Bytes(16)),
		script: redis.NewScript(-1, swap),
	}
	counters.group.Run, counters.group.Timeout = counters.run, patience
	return counters, nil
}

// Close closes all connections, those of calls under way when they end. Later calls
// fail.
func (c *Counters) Close() error {
	if err := c.pool.Close(); err != nil {
		return fmt.Errorf("close the connections to Redis: %w", err)
	}
	return nil
}

// Ping fails while Redis does not answer.
func (c *Counters) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := c.ask(ctx, "PING"); err != nil {
		return fmt.Errorf("reach Redis: %w", err)
	}
	return nil
}

// State returns the state of a counter, nil when there is none.
func (c *Counters) State(ctx context.Context, key string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	state, err := redis.Bytes(c.ask(ctx, "GET", c.prefix+key))
	if errors.Is(err, redis.ErrNil) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a counter: %w", err)
	}
	return state, nil
}

// Rules returns the store's limits, whose counters are here. Last is told what to do
// when the transaction that they are changed in is about to commit.
func (c *Counters) Rules(stored ops.LimitRules, last func(do func(ctx context.Context) error)) ops.LimitRules {
	return counting.Rules{LimitRules: stored, Last: last, Forget: c.clear}
}

func (c *Counters) clear(ctx context.Context, keys []string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	named := make([]any, len(keys))
	for i, key := range keys {
		named[i] = c.prefix + key
	}
	if _, err := c.ask(ctx, "DEL", named...); err != nil {
		return fmt.Errorf("clear counters: %w", err)
	}
	return nil
}
