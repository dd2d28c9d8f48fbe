package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/ports/outbound/ops"
)

// LimitCounters returns the port that reads single counters.
func (s *Store) LimitCounters() ops.LimitCounters { return limitCounters{s} }

type limitCounters struct{ store *Store }

// State returns the state of a counter, nil when there is none.
func (c limitCounters) State(ctx context.Context, key string) ([]byte, error) {
	var found [][]byte
	if err := c.store.Reader(ctx).List(ctx, &found, `SELECT state FROM rate_limits WHERE key = ?`, key); err != nil {
		return nil, fmt.Errorf("read a counter: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return found[0], nil
}
