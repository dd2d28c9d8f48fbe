package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomodule/redigo/redis"

	"gatehouse.internal/adapters/counting"
	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/wait"
	"gatehouse.internal/ports/outbound"
)

// Admission asks the store for everything but the limits, and then counts here.
func (c *Counters) Admission(store outbound.Admission) outbound.Admission {
	return counting.SeparateAdmission{Store: store, Count: c.count}
}

func (c *Counters) count(ctx context.Context, due []outbound.LimitCheck) ([]limit.Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	verdicts, err := c.group.Do(ctx, due)
	if err != nil {
		return nil, fmt.Errorf("count in Redis: %w", err)
	}
	return verdicts, nil
}

// A state is known by itself: what was read, as text.
type (
	counter  = counting.Counter[string]
	counters = counting.Counters[string]
)

const (
	// mostTries is how often a batch that loses races is judged. The turn makes one
	// more than a handful unlikely.
	mostTries = 64
	// patientTries is how many races are lost before the turn is taken.
	patientTries = 2
	// turnTime is how long others respect the turn of one who does not come back.
	turnTime = 250 * time.Millisecond
	// The pauses of one who finds it another's turn.
	firstPause, longestPause = time.Millisecond, 16 * time.Millisecond
)

var errTries = errors.New("too many concurrent counter changes by other replicas")

// run judges a batch until its counters are written as they were judged.
func (c *Counters) run(ctx context.Context, asks [][]outbound.LimitCheck) ([]batch.Outcome[[]limit.Verdict], error) {
	pause, tookTurn := firstPause, false
	for try := 1; try <= mostTries; try++ {
		takeTurn := try >= patientTries
		outcomes, how, err := c.attempt(ctx, asks, tookTurn, takeTurn)
		switch {
		case err != nil:
			return nil, err
		case how == swapped:
			return outcomes, nil
		case how == overtaken:
			tookTurn = takeTurn
		case how == notMyTurn:
			if err := wait.For(ctx, pause); err != nil {
				return nil, err
			}
			pause = min(2*pause, longestPause)
		}
	}
	return nil, errTries
}

// attempt judges a batch once. Who took the turn gives it back even where there is
// nothing left to write.
func (c *Counters) attempt(
	ctx context.Context, asks [][]outbound.LimitCheck, tookTurn, takeTurn bool,
) (outcomes []batch.Outcome[[]limit.Verdict], how writeOutcome, err error) {
	judged, err := c.read(ctx, asks)
	if err != nil {
		return nil, 0, err
	}
	outcomes = make([]batch.Outcome[[]limit.Verdict], len(asks))
	for i, checks := range asks {
		outcomes[i].Answer = judged.Judge(checks)
	}
	changed := judged.Changed()
	if len(changed) > 0 || tookTurn {
		how, err = c.swap(ctx, judged.Now, changed, takeTurn)
	}
	if len(changed) == 0 {
		how = swapped
	}
	return outcomes, how, err
}

// read returns the counters of a batch as they stand.
func (c *Counters) read(ctx context.Context, asks [][]outbound.LimitCheck) (*counters, error) {
	found := &counters{ByKey: map[string]*counter{}}
	var wanted []*counter
	var keys []any
	for _, checks := range asks {
		for _, check := range checks {
			if found.ByKey[check.Key] == nil {
				one := &counter{Key: check.Key}
				found.ByKey[check.Key] = one
				wanted, keys = append(wanted, one), append(keys, c.prefix+check.Key)
			}
		}
	}
	states, err := redis.ByteSlices(c.ask(ctx, "MGET", keys...))
	if err != nil {
		return nil, fmt.Errorf("read counters: %w", err)
	}
	for i, state := range states {
		wanted[i].Base, wanted[i].State = string(state), state
	}
	found.Now = c.clock.Now()
	return found, nil
}

// ask runs a command that may run twice: again where the connection turns out to be
// lost. Nobody knows of one that died in the pool before it is used, and all may have.
func (c *Counters) ask(ctx context.Context, command string, args ...any) (reply any, err error) {
	for range connections + 1 {
		reply, err = c.on(ctx, func(conn redis.Conn) (any, error) { return redis.DoContext(conn, ctx, command, args...) })
		var refused redis.Error
		if err == nil || errors.As(err, &refused) || ctx.Err() != nil {
			break
		}
	}
	return reply, err
}

// on runs a command on a connection of the pool.
func (c *Counters) on(ctx context.Context, do func(redis.Conn) (any, error)) (any, error) {
	conn, err := c.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return do(conn)
}

// writeOutcome is what becomes of counters that are to be written, as the script tells it.
type writeOutcome int

const (
	swapped writeOutcome = iota
	overtaken
	notMyTurn
)

// swap writes counters unless somebody changed one since it was read; then it may
// take the turn.
func (c *Counters) swap(ctx context.Context, now time.Time, changed []*counter, takeTurn bool) (writeOutcome, error) {
	keys := append(make([]any, 0, 4*len(changed)+4), len(changed)+1, c.turn)
	args := append(make([]any, 0, 3*len(changed)+2), c.name, int64(0))
	if takeTurn {
		args[1] = turnTime.Milliseconds()
	}
	for _, one := range changed {
		lives := one.Expires.Sub(now) + time.Millisecond // rounded up
		keys, args = append(keys, c.prefix+one.Key), append(args, one.Base, one.State, lives.Milliseconds())
	}
	how, err := redis.Int(c.on(ctx, func(conn redis.Conn) (any, error) {
		return c.script.DoContext(ctx, conn, append(keys, args...)...)
	}))
	if err != nil {
		return 0, fmt.Errorf("write counters: %w", err)
	}
	return writeOutcome(how), nil
}
