package redis_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"
	"go.uber.org/goleak"

	"gatehouse.internal/adapters/redis"
	"gatehouse.internal/adapters/sqlite"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/test/contract"
	"gatehouse.internal/test/contract/sqlports"
	"gatehouse.internal/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns counters of an instance; replicas share its name.
func open(t *testing.T, url, instance string, clock outbound.Clock) *redis.Counters {
	t.Helper()
	counters, err := redis.Open(redis.Config{URL: url, Instance: instance, Clock: clock, Random: system.Random{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := counters.Close(); err != nil {
			t.Error(err)
		}
	})
	return counters
}

// answersWithin is how soon a call fails whose Redis does not answer.
const answersWithin = 30 * time.Second

var instances atomic.Int64

// unique names an instance that no test, and no run of it, had before.
func unique(t *testing.T) string {
	t.Helper()
	return fmt.Sprint(t.Name(), " ", instances.Add(1))
}

// stopped is a clock that stands, beside which that of the counters moves.
type stopped struct{ now time.Time }

func (c stopped) Now() time.Time { return c.now }

// TestContract counts in Redis for stores in SQLite.
func TestContract(t *testing.T) {
	t.Parallel()
	contract.AdmissionCounts(t, func(t *testing.T) func(contract.Conditions) (*contract.Ports, error) {
		file := filepath.Join(t.TempDir(), "gatehouse.db")
		return func(c contract.Conditions) (*contract.Ports, error) {
			database, err := sqlite.Open(file)
			if err != nil {
				return nil, err
			}
			config := sqlports.Config(t, database)
			config.Clock = stopped{c.Clock.Now()}
			store, err := sqlstore.Open(t.Context(), config)
			if err != nil {
				return nil, errors.Join(err, database.Close())
			}
			counters := open(t, harness.Redis(t), store.Blinder().Index("redis", "instance"), c.Clock)
			ports := sqlports.Ports(store)
			ports.Admission, ports.LimitCounters = counters.Admission(store.Admission()), counters
			ports.Unit = sqlstore.NewUnit(store, func(tx *sqlstore.Tx) contract.Repos {
				repos := sqlports.Repos(tx)
				repos.LimitRules = counters.Rules(repos.LimitRules, tx.Last)
				return repos
			})
			return ports, nil
		}
	})
}

// still is a clock that stands.
type still struct{}

func (still) Now() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }

var errStore = errors.New("no store")

// rest is a store that counts nothing; it fails without a revision.
type rest struct {
	t        *testing.T
	revision int64
}

func (r rest) Admit(_ context.Context, ask outbound.AdmissionAsk) (outbound.AdmissionAnswer, error) {
	if len(ask.Checks) > 0 {
		r.t.Error("the store is asked to count")
	}
	if r.revision == 0 {
		return outbound.AdmissionAnswer{}, errStore
	}
	return outbound.AdmissionAnswer{Revision: r.revision, Key: &outbound.KeyIdentity{Scopes: []string{ask.Key}}}, nil
}

func perMinute(key string, most int) outbound.LimitCheck {
	return outbound.LimitCheck{Key: key, Rule: limit.Rule{Limit: most, Window: time.Minute}}
}

func used(t *testing.T, c *redis.Counters, check outbound.LimitCheck) int {
	t.Helper()
	state, err := c.State(t.Context(), check.Key)
	if err != nil {
		t.Fatal(err)
	}
	return check.Rule.Peek(state, still{}.Now()).Used
}

// outside returns a number that the shared Redis answers to somebody else.
func outside(t *testing.T, command string, args ...any) int64 {
	t.Helper()
	conn, err := redigo.DialURL(harness.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	number, err := redigo.Int64(conn.Do(command, args...))
	if err != nil {
		t.Errorf("%s: %v", command, err)
	}
	return number
}

func TestTheStoreAnswersTheRest(t *testing.T) {
	t.Parallel()
	c, check := open(t, harness.Redis(t), unique(t), still{}), perMinute("rest", 5)
	answer, err := c.Admission(rest{t, 7}).Admit(t.Context(), outbound.AdmissionAsk{Key: "digest", Checks: []outbound.LimitCheck{check}})
	if err != nil || answer.Revision != 7 || answer.Key.Scopes[0] != "digest" || len(answer.Verdicts) != 1 {
		t.Errorf("the answer is %+v, %v", answer, err)
	}
	answer, err = c.Admission(rest{t, 7}).Admit(t.Context(), outbound.AdmissionAsk{})
	if err != nil || answer.Revision != 7 || answer.Verdicts != nil {
		t.Errorf("without limits the answer is %+v, %v", answer, err)
	}
	if _, err := c.Admission(rest{t, 0}).Admit(t.Context(), outbound.AdmissionAsk{Checks: []outbound.LimitCheck{check}}); !errors.Is(err, errStore) {
		t.Errorf("where the store fails: %v", err)
	}
	if got := used(t, c, check); got != 1 {
		t.Errorf("%d calls are counted, want the one that the store answered", got)
	}
}

// Many replicas on the same few counters all come to their turn.
func TestManyReplicasAreExactAndNobodyStarves(t *testing.T) {
	t.Parallel()
	const replicas, callers, calls, most = 6, 16, 20, 500
	checks := []outbound.LimitCheck{perMinute("narrow", most), perMinute("wide", 1_000_000)}
	var passed atomic.Int64
	var all sync.WaitGroup
	var last *redis.Counters
	name := unique(t)
	for range replicas {
		last = open(t, harness.Redis(t), name, still{})
		admission := last.Admission(rest{t, 1})
		for range callers {
			all.Go(func() {
				for range calls {
					answer, err := admission.Admit(t.Context(), outbound.AdmissionAsk{Checks: checks})
					switch {
					case err != nil:
						t.Error(err)
					case answer.Verdicts[0].Allowed && answer.Verdicts[1].Allowed:
						passed.Add(1)
					}
				}
			})
		}
	}
	all.Wait()
	if passed.Load() != most || used(t, last, checks[0]) != most || used(t, last, checks[1]) != most {
		t.Errorf("%d calls passed, %d and %d are counted, want %d", passed.Load(), used(t, last, checks[0]), used(t, last, checks[1]), most)
	}
}

// script is a clock that does one thing after another, each time it is asked.
type script struct{ steps []func() }

func (s *script) Now() time.Time {
	if len(s.steps) > 0 {
		next := s.steps[0]
		s.steps = s.steps[1:]
		next()
	}
	return still{}.Now()
}

// Who was overtaken twice takes the turn, and gives it back in any case.
func TestReplicaOvertakenTwiceTakesATurn(t *testing.T) {
	t.Parallel()
	name := unique(t)
	steps := &script{}
	slow, fast := open(t, harness.Redis(t), name, steps), open(t, harness.Redis(t), name, still{})
	taken := func() bool { return outside(t, "EXISTS", "gatehouse:{"+name+"}:turn") > 0 }
	admit := func(c *redis.Counters, check outbound.LimitCheck) limit.Verdict {
		answer, err := c.Admission(rest{t, 1}).Admit(t.Context(), outbound.AdmissionAsk{Checks: []outbound.LimitCheck{check}})
		if err != nil {
			t.Error(err)
			return limit.Verdict{}
		}
		return answer.Verdicts[0]
	}
	for _, most := range []int{2, 9} {
		check := perMinute(fmt.Sprint("limit ", most), most)
		var waiting sync.WaitGroup
		overtake := func() {
			if taken() {
				t.Error("the turn is taken too early")
			}
			admit(fast, check)
		}
		steps.steps = []func(){overtake, overtake, func() {
			if !taken() {
				t.Error("the turn is not taken")
			}
			waiting.Go(func() {
				if got := admit(fast, check); got.Used != min(4, most) {
					t.Errorf("the other replica counts %d calls before its turn", got.Used)
				}
			})
			<-time.After(20 * time.Millisecond)
		}}
		if got := admit(slow, check); got.Used != min(3, most) || got.Allowed != (most > 2) {
			t.Errorf("who was overtaken twice: %+v", got)
		}
		waiting.Wait()
		if taken() {
			t.Error("the turn is not given back")
		}
	}
}

// A replica that died in its turn holds up the others for a moment only.
func TestTurnOfADeadReplicaExpires(t *testing.T) {
	t.Parallel()
	name := unique(t)
	check := perMinute("turn", 5)
	c := open(t, harness.Redis(t), name, still{})
	turn := "gatehouse:{" + name + "}:turn"
	const take = "return redis.call('SET', KEYS[1], 'somebody', unpack(ARGV)) and 1"
	outside(t, "EVAL", take, 1, turn, "PX", 250)
	ask := outbound.AdmissionAsk{Checks: []outbound.LimitCheck{check}}
	if answer, err := c.Admission(rest{t, 1}).Admit(t.Context(), ask); err != nil || answer.Verdicts[0].Used != 1 {
		t.Errorf("after the turn of the dead: %+v, %v", answer, err)
	}
	if outside(t, "EXISTS", turn) != 0 {
		t.Error("the turn is still taken")
	}
	outside(t, "EVAL", take, 1, turn) // for ever
	began := time.Now()
	_, err := c.Admission(rest{t, 1}).Admit(t.Context(), ask)
	if took := time.Since(began); err == nil || took > answersWithin {
		t.Errorf("while it is always somebody else's turn: %v after %v", err, took)
	}
}

func TestCountersLiveAsLongAsTheirWindow(t *testing.T) {
	t.Parallel()
	name := unique(t)
	// A clock far from that of Redis.
	c := open(t, harness.Redis(t), name, still{})
	for _, window := range []time.Duration{time.Second, time.Minute, 24 * time.Hour} {
		check := outbound.LimitCheck{Key: window.String(), Rule: limit.Rule{Limit: 5, Window: window}}
		if _, err := c.Admission(rest{t, 1}).Admit(t.Context(), outbound.AdmissionAsk{Checks: []outbound.LimitCheck{check}}); err != nil {
			t.Fatal(err)
		}
		key := "gatehouse:{" + name + "}:limit:" + check.Key
		lives := time.Duration(outside(t, "PTTL", key)) * time.Millisecond
		if lives <= window-time.Second || lives > 2*window {
			t.Errorf("a counter of %v lives %v", window, lives)
		}
	}
}

func TestServicesShareARedis(t *testing.T) {
	t.Parallel()
	check := perMinute("shared", 1)
	for _, service := range []string{"one", "other"} {
		c := open(t, harness.Redis(t), unique(t), still{})
		answer, err := c.Admission(rest{t, 1}).Admit(t.Context(), outbound.AdmissionAsk{Checks: []outbound.LimitCheck{check}})
		if err != nil || !answer.Verdicts[0].Allowed {
			t.Errorf("the first call of the %s service: %+v, %v", service, answer, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"redis://localhost", "redis://:zq5@10.0.0.1:6380/3", "rediss://user:zq5@redis.example.com", "redis://[::1]:6379/0", "rediss://h/",
	} {
		if err := redis.CheckURL(good); err != nil {
			t.Errorf("CheckURL(%q) = %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "zq5", "zq5:6379", "http://zq5", "unix:///zq5", "redis://", "redis://:zq5@", "redis://zq5:port", "redis://h/zq5", "redis://h/1/2", "redis://h/-1",
		"redis://h?password=zq5", "redis://h/0#zq5", "redis://user:zq5%zz@h", "redis://zq5 h", "redis:///1",
	} {
		err := redis.CheckURL(bad)
		if err == nil || strings.Contains(err.Error(), "zq5") {
			t.Errorf("CheckURL(%q) = %v", bad, err)
		}
		if _, err := redis.Open(redis.Config{URL: bad, Random: system.Random{}}); err == nil {
			t.Errorf("Open(%q) succeeded", bad)
		}
	}
}
