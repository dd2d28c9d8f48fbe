package bootstrap

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/redis"
	"gatehouse.internal/adapters/sqlstore"
	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/bootstrap/config"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// limits are the rate limit counters: in the Redis of REDIS_URL, or else in the store.
type limits struct {
	admission outbound.Admission
	counters  ops.LimitCounters
	rules     func(*sqlstore.Tx) ops.LimitRules
	ping      func(context.Context) error
	close     func() error
}

func newLimits(c *config.Config, t tools, store *sqlstore.Store) (limits, error) {
	if c.RedisURL == "" {
		return limits{
			admission: store.Admission(), counters: store.LimitCounters(),
			rules: func(tx *sqlstore.Tx) ops.LimitRules { return opsstore.LimitRules(tx) },
			ping:  func(context.Context) error { return nil },
			close: func() error { return nil },
		}, nil
	}
	counters, err := redis.Open(redis.Config{
		URL: c.RedisURL, Instance: store.Blinder().Index("redis", "instance"), Clock: t.clock, Random: t.random,
	})
	if err != nil {
		return limits{}, fmt.Errorf("REDIS_URL is %w", err)
	}
	return limits{
		admission: counters.Admission(store.Admission()), counters: counters,
		rules: func(tx *sqlstore.Tx) ops.LimitRules { return counters.Rules(opsstore.LimitRules(tx), tx.Last) },
		ping:  counters.Ping, close: counters.Close,
	}, nil
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
