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
package redis

import (
	"context"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
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
	client *goredis.Client
	clock  outbound.Clock
	// turn is the key of the turn; prefix begins those of the counters.
	turn, prefix string
	// name tells in Redis whose turn it is.
	name   string
	script *goredis.Script
	group  batch.Group[[]outbound.LimitCheck, []limit.Verdict]
}

var (
	_ outbound.LimitCounters = (*Counters)(nil)
	_ outbound.Admission     = admission{}
	_ outbound.LimitRules    = rules{}
)

var errURL = errors.New("not an address such as redis://user:password@host:6379/0")

// parse reads a URL. Its error does not tell what stands in it.
func parse(address string) (*goredis.Options, error) {
	parsed, err := url.Parse(address)
	if err != nil || (parsed.Scheme != "redis" && parsed.Scheme != "rediss") ||
		parsed.Hostname() == "" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return nil, errURL
	}
	options, err := goredis.ParseURL(address)
	if err != nil || options.DB < 0 {
		return nil, errURL
	}
	return options, nil
}

// CheckURL fails for what is no address of a Redis.
func CheckURL(address string) error {
	_, err := parse(address)
	return err
}

// Open makes counters in a Redis. It does not connect before it must, and connects
// again whenever it has to.
func Open(c Config) (*Counters, error) {
	options, err := parse(c.URL)
	if err != nil {
		return nil, err
	}
	// The library's own log goes past ours; failures come back as errors anyway.
	logging.Disable()
	options.Protocol = 2 // nothing of the newer one is needed
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	options.ContextTimeoutEnabled = true
	options.ReadTimeout, options.WriteTimeout = patience, patience
	options.DialTimeout, options.DialerRetries = dialTime, 1
	options.MaxRetries = -1 // a write whose answer was lost may have counted
	options.PoolSize, options.PipelinePoolSize = connections, -1
	options.ConnMaxIdleTime = idleTime
	ours := "gatehouse:{" + c.Instance + "}:"
	counters := &Counters{
		client: goredis.NewClient(options), clock: c.Clock,
		turn: ours + "turn", prefix: ours + "limit:", name: hex.EncodeToString(c.Random.Bytes(16)),
		script: goredis.NewScript(swap),
	}
	counters.group.Run, counters.group.Timeout = counters.run, patience
	return counters, nil
}

// Close closes all connections. Calls under way fail.
func (c *Counters) Close() error {
	if err := c.client.Close(); err != nil {
		return fmt.Errorf("close the connections to Redis: %w", err)
	}
	return nil
}

// Ping fails while Redis does not answer.
func (c *Counters) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := c.client.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("reach Redis: %w", err)
	}
	return nil
}

// State gives the state of a counter, nil when there is none.
func (c *Counters) State(ctx context.Context, key string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	state, err := c.client.Get(ctx, c.prefix+key).Bytes()
	if errors.Is(err, goredis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a counter: %w", err)
	}
	return state, nil
}

// Rules are the store's limits, whose counters are here. Last is told what to do
// when the transaction that they are changed in is about to commit.
func (c *Counters) Rules(stored outbound.LimitRules, last func(do func(ctx context.Context) error)) outbound.LimitRules {
	return rules{LimitRules: stored, counters: c, last: last}
}

type rules struct {
	outbound.LimitRules

	counters *Counters
	last     func(do func(ctx context.Context) error)
}

// Clear forgets counters once the transaction commits.
func (r rules) Clear(_ context.Context, keys []string) error {
	if len(keys) > 0 {
		r.last(func(ctx context.Context) error { return r.counters.clear(ctx, keys) })
	}
	return nil
}

func (c *Counters) clear(ctx context.Context, keys []string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	named := make([]string, len(keys))
	for i, key := range keys {
		named[i] = c.prefix + key
	}
	if err := c.client.Del(ctx, named...).Err(); err != nil {
		return fmt.Errorf("clear counters: %w", err)
	}
	return nil
}
