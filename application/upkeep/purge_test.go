package upkeep_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	opsstore "gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/application/upkeep"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/harness"
)

func rows(t *testing.T, h *harness.Service, table string) int64 {
	t.Helper()
	counted, err := opsstore.Upkeep(h.Store).Rows(context.Background())
	if err != nil {
		t.Fatalf("Rows() = %v", err)
	}
	return counted[table]
}

func TestKeeperPurgesWhatExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		start(t, h.Keeper)
		alice := h.SignUp("alice@example.com")
		alice.Idempotent("once").Do("SESSION.REVOKE_ALL", nil).OK()
		pass()
		before := map[string]int64{}
		for _, table := range []string{"sessions", "idempotency"} {
			if before[table] = rows(t, h, table); before[table] != 1 {
				t.Errorf("%d rows in %s, want 1", before[table], table)
			}
		}
		h.Clock.Advance(91 * day)
		pass()
		for _, table := range []string{"sessions", "idempotency", "rate_limits", "login_failures"} {
			if got := rows(t, h, table); got != 0 {
				t.Errorf("%d rows left in %s", got, table)
			}
		}
	})
}

func TestPurgeReportsWhatWasDeleted(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.SignUp("alice@example.com")
	h.SignUp("bob@example.com")
	kinds := []ops.PurgeKind{ops.PurgeSessions, ops.PurgeAnswers}
	for _, test := range []struct {
		wait     time.Duration
		sessions int
	}{{0, 0}, {91 * day, 2}, {0, 0}} {
		h.Clock.Advance(test.wait)
		got, err := upkeep.Purger{Upkeep: opsstore.Upkeep(h.Store), Clock: h.Clock}.Purge(t.Context(), kinds)
		want := map[ops.PurgeKind]int{ops.PurgeSessions: test.sessions, ops.PurgeAnswers: 0}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("Purge() = %v, %v, want %v", got, err, want)
		}
	}
}

var errGone = errors.New("the store is gone")

// backlog has so many batches of each kind to give, one row each.
type backlog struct {
	ops.Upkeep

	mu    sync.Mutex
	left  map[ops.PurgeKind]int
	taken []time.Time
	gone  bool
	// took is how long a batch takes, without bound while the store hangs.
	took  time.Duration
	hangs atomic.Bool
}

// batches are the times at which one was taken.
func (b *backlog) batches() []time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.taken)
}

// fail lets the store be gone, or be back.
func (b *backlog) fail(gone bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = gone
}

func (b *backlog) Purge(ctx context.Context, kind ops.PurgeKind, now time.Time) (int, error) {
	if b.hangs.Load() {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(b.took):
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone && kind == ops.PurgeSessions {
		return 0, errGone
	}
	if b.left[kind] == 0 {
		return 0, nil
	}
	b.left[kind]--
	b.taken = append(b.taken, now)
	return 1, nil
}

func TestPurgeGoesOnUntilNothingIsLeft(t *testing.T) {
	t.Parallel()
	up := &backlog{left: map[ops.PurgeKind]int{ops.PurgeLimits: 1000, ops.PurgeAnswers: 3}}
	got, err := upkeep.Purger{Upkeep: up, Instance: harness.New(t).Keeper.Instance, Clock: system.Clock{}}.Purge(t.Context(), ops.PurgeKinds())
	if err != nil || got[ops.PurgeLimits] != 1000 || got[ops.PurgeAnswers] != 3 || len(got) != len(ops.PurgeKinds()) {
		t.Errorf("Purge() = %v, %v", got, err)
	}
	up = &backlog{left: map[ops.PurgeKind]int{ops.PurgeLimits: 2}}
	up.fail(true)
	got, err = upkeep.Purger{Upkeep: up, Clock: system.Clock{}}.Purge(t.Context(), []ops.PurgeKind{ops.PurgeLimits, ops.PurgeSessions})
	if !errors.Is(err, errGone) || got[ops.PurgeLimits] != 2 {
		t.Errorf("Purge() of a store that is gone = %v, %v", got, err)
	}
}

func TestKeeperPausesBetweenBatchesAndEndsItsPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		up := &backlog{left: map[ops.PurgeKind]int{ops.PurgeLimits: 750}}
		k := *h.Keeper
		k.Upkeep, k.Clock = up, system.Clock{}
		start(t, &k)
		time.Sleep(time.Minute + 30*time.Second)
		synctest.Wait()
		taken := up.batches()
		if len(taken) != 500 {
			t.Fatalf("%d batches in the first pass, want 500", len(taken))
		}
		for i, at := range taken[1:] {
			if pause := at.Sub(taken[i]); pause < 10*time.Millisecond {
				t.Fatalf("a pause of %v, want 10 ms", pause)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := len(up.batches()); got != 750 {
			t.Errorf("%d batches in two passes, want all 750", got)
		}
	})
}

func TestKeeperLogsAFailureOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		var log bytes.Buffer
		up := &backlog{left: map[ops.PurgeKind]int{ops.PurgeLimits: 2}}
		up.fail(true)
		k := *h.Keeper
		k.Upkeep, k.Logger = up, slog.New(slog.NewTextHandler(&log, nil))
		start(t, &k)
		for range 3 {
			pass()
		}
		if got := strings.Count(log.String(), "maintenance task fails"); got != 1 || !strings.Contains(log.String(), errGone.Error()) {
			t.Errorf("%d complaints, want 1: %s", got, log.String())
		}
		if len(up.batches()) != 2 {
			t.Error("a kind that fails kept another from its turn")
		}
		up.fail(false)
		pass()
		pass()
		if got := strings.Count(log.String(), "maintenance task works again"); got != 1 {
			t.Errorf("told %d times that it works again, want 1: %s", got, log.String())
		}
	})
}

func TestKeeperLeavesABatchThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		last := ops.PurgeKinds()[len(ops.PurgeKinds())-1]
		up := &backlog{left: map[ops.PurgeKind]int{ops.PurgeSessions: 1, last: 5}, took: 20 * time.Second}
		k := *h.Keeper
		k.Upkeep = up
		start(t, &k)
		up.hangs.Store(true)
		pass()
		up.hangs.Store(false)
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		if got := len(up.batches()); got != 6 {
			t.Errorf("%d batches once the store is back, want all 6", got)
		}
	})
}

// stuck is a store that answers nothing.
type stuck struct{}

func (stuck) Do(ctx context.Context, _ func(upkeep.Repos) error) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestKeeperLeavesAPassThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		var log bytes.Buffer
		k := *h.Keeper
		k.Unit, k.Logger = stuck{}, slog.New(slog.NewTextHandler(&log, nil))
		start(t, &k)
		pass()
		pass()
		for _, task := range []string{"watch sign-ins", "rotate signing keys"} {
			if !strings.Contains(log.String(), `task="`+task+`" cause="context deadline exceeded"`) {
				t.Errorf("the task %s hangs with the store: %s", task, log.String())
			}
		}
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := harness.New(t)
		ctx, cancel := context.WithCancel(context.Background())
		ended := false
		go func() {
			h.Keeper.Run(ctx)
			ended = true
		}()
		time.Sleep(time.Second)
		synctest.Wait()
		if ended {
			t.Error("Run() ended before its context")
		}
		cancel()
		synctest.Wait()
		if !ended {
			t.Error("Run() goes on after its context")
		}
	})
}

// Events are kept as long as the setting in force says, whichever replica was told.
func TestKeeperKeepsEventsForTheAuditDays(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, database string) {
		reader, other := harness.On(t, database), harness.On(t, database)
		reader.SignUp("alice@example.com")
		purger := upkeep.Purger{Upkeep: opsstore.Upkeep(other.Store), Instance: other.Keeper.Instance, Clock: reader.Clock}
		for _, step := range []struct {
			days, wait int
			goes       bool
		}{{400, 399, false}, {500, 2, false}, {400, 0, true}} {
			reader.Clock.Advance(time.Duration(step.wait) * day)
			reader.Superadmin().Do("SETTINGS.SET", harness.P{"values": harness.P{"audit_days": step.days}}).OK()
			got, err := purger.Purge(t.Context(), []ops.PurgeKind{ops.PurgeEvents})
			if err != nil || (got[ops.PurgeEvents] > 0) != step.goes {
				t.Errorf("kept %d days, %d days on: %v, %v", step.days, step.wait, got, err)
			}
		}
	})
}
