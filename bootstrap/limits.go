package bootstrap

import (
	"context"
	"fmt"
	"strings"

	"gatehouse.internal/adapters/redis"
	"gatehouse.internal/adapters/sqlite"
	"gatehouse.internal/adapters/sqlstore"
	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// limits are the rate limit counters: in the Redis of REDIS_URL, or else in the store, which
// is a file beside the database for SQLite.
type limits struct {
	admission outbound.Admission
	counters  ops.LimitCounters
	rules     func(*sqlstore.Tx) ops.LimitRules
	ping      func(context.Context) error
	close     func() error
}

// separateCounters are counters that are kept apart from the database.
type separateCounters interface {
	ops.LimitCounters

	Admission(store outbound.Admission) outbound.Admission
	Rules(stored ops.LimitRules, last func(do func(context.Context) error)) ops.LimitRules
	Ping(ctx context.Context) error
	Close() error
}

func newLimits(ctx context.Context, c *config.Config, t tools, store *sqlstore.Store) (limits, error) {
	file, isSQLite := strings.CutPrefix(c.DatabaseURL, "sqlite://")
	switch {
	case c.RedisURL != "":
		counters, err := redis.Open(redis.Config{
			URL: c.RedisURL, Instance: store.Blinder().Index(label.RedisInstance, "instance"), Clock: t.clock, Random: t.random,
		})
		if err != nil {
			return limits{}, fmt.Errorf("REDIS_URL is %w", err)
		}
		return countedApart(counters, store), nil
	case isSQLite:
		counters, err := sqlite.OpenCounters(ctx, file, t.clock)
		if err != nil {
			return limits{}, fmt.Errorf("open the rate limit counters: %w", err)
		}
		return countedApart(counters, store), nil
	}
	return limits{
		admission: store.Admission(), counters: store.LimitCounters(),
		rules: func(tx *sqlstore.Tx) ops.LimitRules { return opsstore.LimitRules(tx) },
		ping:  func(context.Context) error { return nil },
		close: func() error { return nil },
	}, nil
}

func countedApart(by separateCounters, store *sqlstore.Store) limits {
	return limits{
		admission: by.Admission(store.Admission()), counters: by,
		rules: func(tx *sqlstore.Tx) ops.LimitRules { return by.Rules(opsstore.LimitRules(tx), tx.Last) },
		ping:  by.Ping, close: by.Close,
	}
}

// upkeep returns the upkeep of the store; its Ping also checks the rate limit counters.
func (p *parts) upkeep() ops.Upkeep { return wholeStore{opsstore.Upkeep(p.store), p.limits.ping} }

type wholeStore struct {
	ops.Upkeep

	counters func(context.Context) error
}

// Ping checks the database and the rate limit counters.
func (w wholeStore) Ping(ctx context.Context) error {
	if err := w.Upkeep.Ping(ctx); err != nil {
		return err
	}
	return w.counters(ctx)
}
