package instance_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound/ops"
)

// stored is a store whose configuration the test changes.
type stored struct {
	mu    sync.Mutex
	state ops.InstanceState
	err   error
	loads atomic.Int32
}

func (s *stored) Load(context.Context) (ops.InstanceState, error) {
	s.loads.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state, s.err
}

type values = map[string]json.RawMessage

func current(state ops.InstanceState) (*instance.Current, *stored) {
	s := &stored{state: state}
	return &instance.Current{Store: s, JOSE: jose.JOSE{}, Defaults: setting.Defaults()}, s
}

func at(t *testing.T, c *instance.Current, revision int64) *instance.State {
	t.Helper()
	state, err := c.At(t.Context(), revision)
	if err != nil {
		t.Fatalf("At(%d) = %v", revision, err)
	}
	if c.State() != state {
		t.Errorf("State() is not what At(%d) gave", revision)
	}
	return state
}

// The store is asked when the revision moved, and only then.
func TestRevision(t *testing.T) {
	t.Parallel()
	c, store := current(ops.InstanceState{Revision: 3})
	if c.State() != nil {
		t.Error("there is a state before the first look")
	}
	first := at(t, c, 0)
	if first.Revision != 3 || at(t, c, 3) != first || at(t, c, 1) != first || store.loads.Load() != 1 {
		t.Errorf("revision %d after %d loads", first.Revision, store.loads.Load())
	}
	store.state = ops.InstanceState{Revision: 5, Settings: values{"access_token_seconds": json.RawMessage("60")}}
	if at(t, c, 3) != first {
		t.Error("it was loaded without need")
	}
	second := at(t, c, 4)
	if second.Revision != 5 || second.Settings.AccessTokenSeconds != 60 || first.Settings.AccessTokenSeconds != 900 || store.loads.Load() != 2 {
		t.Errorf("state = %+v after %d loads, before %+v", second, store.loads.Load(), first)
	}
}

func TestOneLoadForMany(t *testing.T) {
	t.Parallel()
	c, store := current(ops.InstanceState{Revision: 1})
	at(t, c, 1)
	store.state.Revision = 2
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if state, err := c.At(context.Background(), 2); err != nil || state.Revision != 2 {
				t.Errorf("At(2) = %v, %v", state, err)
			}
		})
	}
	all.Wait()
	if n := store.loads.Load(); n != 2 {
		t.Errorf("%d loads, want 2", n)
	}
}

// What cannot be read leaves the state as it was, and is tried again.
func TestFailures(t *testing.T) {
	t.Parallel()
	c, store := current(ops.InstanceState{Revision: 1})
	before := at(t, c, 1)
	down := errors.New("the store is down")
	store.err = down
	if _, err := c.At(t.Context(), 2); !errors.Is(err, down) || c.State() != before {
		t.Errorf("At(2) = %v", err)
	}
	store.err = nil
	bad := func(name string, change ops.InstanceState) {
		t.Helper()
		change.Revision = 2
		store.state = change
		if _, err := c.At(t.Context(), 2); err == nil || c.State() != before {
			t.Errorf("%s: At(2) = %v", name, err)
		}
	}
	bad("setting", ops.InstanceState{Settings: values{"access_token_seconds": json.RawMessage(`"x"`)}})
	for _, kind := range []policy.Kind{policy.KindPassword, policy.KindSession, policy.KindLockout, policy.KindMFA, policy.KindSignup} {
		name := map[policy.Kind]string{
			policy.KindPassword: "min_length", policy.KindSession: "idle_minutes", policy.KindLockout: "max_failures",
			policy.KindMFA: "required", policy.KindSignup: "blocked_domains",
		}[kind]
		bad(string(kind), ops.InstanceState{Policies: map[policy.Kind]ops.PolicyValues{kind: {name: json.RawMessage("{}")}}})
	}
	broken := signingkey.Key{KID: "a", Algorithm: signingkey.ES256, Private: []byte("no key")}
	bad("key", ops.InstanceState{Keys: signingkey.NewRing(broken, broken, time.Time{})})
	store.state = ops.InstanceState{Revision: 2}
	at(t, c, 2)
}

func TestStoredValuesWin(t *testing.T) {
	t.Parallel()
	c, _ := current(ops.InstanceState{
		Revision: 1,
		Settings: values{
			"public_registration": json.RawMessage("false"), "cors_origins": json.RawMessage(`["https://a.example.com"]`),
			"of_another_release": json.RawMessage(`{"x":1}`), "PublicRegistration": json.RawMessage("true"),
		},
		Policies: map[policy.Kind]ops.PolicyValues{
			policy.KindLockout: {"max_failures": json.RawMessage("3"), "color": json.RawMessage(`"red"`)},
			"weather":          {"min_length": json.RawMessage("99")},
		},
	})
	c.Defaults.RefreshRetrySeconds = 7
	state := at(t, c, 1)
	s, p := state.Settings, state.Policies
	if s.PublicRegistration || s.AccessTokenSeconds != 900 || s.RefreshRetrySeconds != 7 || !slices.Equal(s.CORSOrigins, []string{"https://a.example.com"}) {
		t.Errorf("settings = %+v", s)
	}
	if want := policy.Defaults(); p.Lockout.MaxFailures != 3 || p.Lockout.WindowMinutes != 15 || p.Password != want.Password || p.Session != want.Session {
		t.Errorf("policies = %+v", p)
	}
	if len(state.Stored) != 4 || len(state.PolicyValues) != 2 {
		t.Errorf("stored = %v, %v", state.Stored, state.PolicyValues)
	}
	if c.Defaults.RefreshRetrySeconds != 7 || !c.Defaults.PublicRegistration {
		t.Errorf("the defaults are %+v now", c.Defaults)
	}
}

func TestTunedLimits(t *testing.T) {
	t.Parallel()
	tuned := func(name string, by limit.Key, n int) ops.TunedLimit {
		return ops.TunedLimit{Command: name, By: by, Rule: limit.Rule{Limit: n, Window: time.Minute}}
	}
	c, _ := current(ops.InstanceState{Revision: 1, Limits: []ops.TunedLimit{
		tuned("AUTH.LOGIN", limit.IP, 5), tuned("AUTH.LOGIN", limit.User, 6), tuned("*", limit.Token, 7), tuned("GONE.AWAY", limit.IP, 8),
	}})
	state := at(t, c, 1)
	defaults := []limit.Spec{limit.PerMinute(limit.Token, 1), limit.PerMinute(limit.IP, 10)}
	want := []limit.Spec{limit.PerMinute(limit.Token, 1), limit.PerMinute(limit.IP, 5), limit.PerMinute(limit.User, 6)}
	if got := state.Limits("AUTH.LOGIN", defaults); !slices.Equal(got, want) {
		t.Errorf("limits = %v, want %v", got, want)
	}
	if defaults[1].Rule.Limit != 10 || !slices.Equal(state.Limits("AUTH.SIGNUP", defaults), defaults) || state.Limits("AUTH.SIGNUP", nil) != nil {
		t.Errorf("defaults = %v", defaults)
	}
	if got := state.Limits("*", []limit.Spec{limit.PerMinute(limit.Token, 600)}); len(got) != 1 || got[0].Rule.Limit != 7 {
		t.Errorf("overall = %v", got)
	}
	if got := state.TunedCommands(); !slices.Equal(got, []string{"*", "AUTH.LOGIN", "GONE.AWAY"}) || len(state.Tuned("AUTH.LOGIN")) != 2 || len(state.Tuned("X.Y")) != 0 {
		t.Errorf("tuned = %q", got)
	}
}

func key(t *testing.T, kid string, now time.Time) signingkey.Key {
	t.Helper()
	private, err := jose.JOSE{}.Generate("ES256")
	if err != nil {
		t.Fatal(err)
	}
	return signingkey.Key{KID: kid, Algorithm: signingkey.ES256, Private: private, CreatedAt: now}
}

// Of a ring the active and overlapping keys are accepted, and those and the next
// are published.
func TestKeys(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	ring := signingkey.NewRing(key(t, "a", now), key(t, "b", now), now)
	ring.Rotate(key(t, "c", now), time.Hour, now)
	c, _ := current(ops.InstanceState{Revision: 1, Keys: ring})
	keys := at(t, c, 1).Keys
	accepted := func(now time.Time) string {
		var all []string
		for _, kid := range []string{"a", "b", "c", "d"} {
			if found, ok := keys.Accepted(kid, now); ok && found != nil {
				all = append(all, kid)
			}
		}
		return strings.Join(all, " ")
	}
	if keys.Active() == nil || accepted(now) != "a b" || accepted(now.Add(time.Hour)) != "b" {
		t.Errorf("accepted %q, and %q an hour later", accepted(now), accepted(now.Add(time.Hour)))
	}
	if n, m := len(keys.Published(now)), len(keys.Published(now.Add(time.Hour))); n != 3 || m != 2 {
		t.Errorf("%d keys are published, %d an hour later, want 3 and 2", n, m)
	}
	bare, _ := current(ops.InstanceState{Revision: 1})
	if none := at(t, bare, 1).Keys; none.Active() != nil || len(none.Published(now)) != 0 {
		t.Error("there are keys without a ring")
	}
}
