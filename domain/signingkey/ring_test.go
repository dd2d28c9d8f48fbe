package signingkey_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/signingkey"
)

func now() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) }

func key(kid string, algorithm signingkey.Algorithm) signingkey.Key {
	return signingkey.Key{KID: kid, Algorithm: algorithm, CreatedAt: now()}
}

func ring() *signingkey.Ring {
	return signingkey.NewRing(key("a", signingkey.ES256), key("b", signingkey.ES256), now())
}

// states returns the state of each key by its kid, and fails unless exactly one of each
// algorithm in use is active, and one of all is next.
func states(t *testing.T, r *signingkey.Ring, at time.Time) map[string]signingkey.State {
	t.Helper()
	all, active, next := map[string]signingkey.State{}, map[signingkey.Algorithm]int{}, 0
	for _, k := range r.Snapshot().Keys {
		all[k.KID] = k.State(at)
		switch all[k.KID] {
		case signingkey.Active:
			active[k.Algorithm]++
		case signingkey.Next:
			next++
		case signingkey.Overlapping, signingkey.Retired, signingkey.Revoked:
		}
	}
	for algorithm, n := range active {
		if n != 1 {
			t.Errorf("%d keys of %s are active", n, algorithm)
		}
	}
	if next != 1 || r.Active().State(at) != signingkey.Active || r.Active().Algorithm != r.Snapshot().Signs {
		t.Errorf("states = %v, want one next, and the active one of %s", all, r.Snapshot().Signs)
	}
	return all
}

func TestRotateTakesTheKeyThatWaited(t *testing.T) {
	t.Parallel()
	r := ring()
	done := r.Rotate(key("c", signingkey.ES256), time.Hour, now())
	if done.KID != "b" || done.PreviousKID != "a" || !done.OverlapUntil.Equal(now().Add(time.Hour)) {
		t.Errorf("Rotate() = %+v, want b after a", done)
	}
	for at, want := range map[time.Duration]signingkey.State{
		0: signingkey.Overlapping, time.Hour - 1: signingkey.Overlapping, time.Hour: signingkey.Retired,
	} {
		if got := states(t, r, now().Add(at))["a"]; got != want {
			t.Errorf("state of the old key after %v = %v, want %v", at, got, want)
		}
	}
	if r.Active().KID != "b" {
		t.Errorf("Active() = %s, want b", r.Active().KID)
	}
}

func TestRotateToAnotherAlgorithm(t *testing.T) {
	t.Parallel()
	r := ring()
	done := r.Rotate(key("c", signingkey.RS256), 0, now())
	if done.KID != "c" || r.Active().Algorithm != signingkey.RS256 {
		t.Errorf("Rotate() = %+v with %s active, want the fresh key", done, r.Active().Algorithm)
	}
	if got := states(t, r, now())["a"]; got != signingkey.Retired {
		t.Errorf("without an overlap the old key is %v, want retired", got)
	}
}

// A key of ID tokens is one more active key: it takes the waiting one of its algorithm, is
// replaced with the others, and after a rotation to its algorithm is that of access tokens.
func TestProvide(t *testing.T) {
	t.Parallel()
	r := ring()
	if r.Provide(key("x", signingkey.ES256), now()) || r.Provide(key("x", signingkey.EdDSA), now()) || len(r.Snapshot().Keys) != 2 {
		t.Errorf("Provide() = %v of an algorithm that has a key, and of license files", states(t, r, now()))
	}
	if !r.Provide(key("c", signingkey.RS256), now()) || r.Provide(key("x", signingkey.RS256), now()) {
		t.Errorf("Provide() = %v, want one key of RS256", states(t, r, now()))
	}
	if got, ok := r.ActiveOf(signingkey.RS256); !ok || got.KID != "c" || r.Active().KID != "a" {
		t.Errorf("ActiveOf(RS256) = %s, %v, Active() = %s", got.KID, ok, r.Active().KID)
	}
	done := r.Rotate(key("d", signingkey.RS256), time.Hour, now())
	all := states(t, r, now())
	if done.KID != "d" || done.PreviousKID != "a" || all["a"] != signingkey.Overlapping || all["c"] != signingkey.Overlapping {
		t.Errorf("Rotate() = %+v, %v, want d, and those before to overlap", done, all)
	}
	if _, ok := r.ActiveOf(signingkey.ES256); ok {
		t.Error("there is a key of ES256 that nobody needs")
	}
	if !r.Provide(key("e", signingkey.ES256), now()) {
		t.Error("no key of ES256 was provided")
	}
	if got, _ := r.ActiveOf(signingkey.ES256); got.KID != "b" || states(t, r, now())["e"] != signingkey.Next || r.Active().KID != "d" {
		t.Errorf("ActiveOf(ES256) = %s, Active() = %s, want the key that waited, and d", got.KID, r.Active().KID)
	}
	if got, err := r.Revoke("d", "leaked", key("f", signingkey.RS256), now()); got != "f" || err != nil || r.Active().KID != "f" {
		t.Errorf("Revoke() = %s, %v, want a fresh key of RS256 to sign access tokens", got, err)
	}
	states(t, r, now())
}

// A release that knew one active key changes its algorithm without a word about it.
func TestActiveOfAnotherRelease(t *testing.T) {
	t.Parallel()
	r := ring()
	r.Rotate(key("c", signingkey.RS256), time.Hour, now())
	stored := r.Snapshot()
	stored.Signs = signingkey.ES256
	if got := signingkey.Restore(stored, 1).Active().KID; got != "c" {
		t.Errorf("Active() = %s, want c", got)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, kid, successor string
		err                  error
	}{
		{name: "the active key gives way to the waiting one", kid: "b", successor: "c"},
		{name: "the waiting key is replaced", kid: "c"},
		{name: "an overlapping key is thrown out", kid: "a"},
		{name: "an unknown key is not found", kid: "z", err: signingkey.ErrNotFound},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := ring()
			r.Rotate(key("c", signingkey.ES256), time.Hour, now())
			got, err := r.Revoke(test.kid, "leaked", key("d", signingkey.ES256), now())
			if got != test.successor || !errors.Is(err, test.err) {
				t.Fatalf("Revoke() = %q, %v, want %q, %v", got, err, test.successor, test.err)
			}
			all := states(t, r, now())
			if test.err == nil && all[test.kid] != signingkey.Revoked {
				t.Errorf("the key is %v, want revoked", all[test.kid])
			}
			for _, k := range r.Snapshot().Keys {
				if k.KID == test.kid && !k.OverlapUntil.IsZero() {
					t.Errorf("a revoked key overlaps until %v", k.OverlapUntil)
				}
			}
		})
	}
}

func TestRevokeOnce(t *testing.T) {
	t.Parallel()
	r := ring()
	if _, err := r.Revoke("a", "", key("c", signingkey.ES256), now()); err != nil {
		t.Fatalf("Revoke() = %v", err)
	}
	if _, err := r.Revoke("a", "", key("d", signingkey.ES256), now()); !errors.Is(err, signingkey.ErrNotFound) {
		t.Errorf("Revoke() again = %v, want ErrNotFound", err)
	}
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	r := ring()
	if r.Due(now().AddDate(10, 0, 0)) {
		t.Error("a ring without schedule is due")
	}
	r.SetSchedule(signingkey.Schedule{EveryDays: 30, Algorithm: signingkey.ES256, OverlapHours: 24}, key("x", signingkey.ES256), now())
	due := now().AddDate(0, 0, 30)
	if r.Due(due.Add(-time.Microsecond)) || !r.Due(due) {
		t.Error("not due at the end of the thirtieth day exactly")
	}
	r.Rotate(key("c", signingkey.ES256), time.Hour, due)
	if r.Due(due) || !r.Due(due.AddDate(0, 0, 30)) {
		t.Error("a rotation does not plan the next")
	}
	r.SetSchedule(signingkey.Schedule{}, key("y", signingkey.RS256), due)
	if r.Due(due.AddDate(10, 0, 0)) {
		t.Error("a schedule that was taken away is due")
	}
}

// The key of a planned rotation waits from the plan on.
func TestScheduledKeyWaits(t *testing.T) {
	t.Parallel()
	r := ring()
	plan := signingkey.Schedule{EveryDays: 30, Algorithm: signingkey.RS256}
	r.SetSchedule(plan, key("x", signingkey.RS256), now())
	r.SetSchedule(plan, key("y", signingkey.RS256), now())
	if done := r.Rotate(key("c", signingkey.RS256), 0, now().AddDate(0, 0, 30)); done.KID != "x" || done.PreviousKID != "a" {
		t.Errorf("Rotate() = %+v, want the key that waited since the plan", done)
	}
	if keys := r.Snapshot().Keys; len(keys) != 3 {
		t.Errorf("the ring holds %d keys, want 3", len(keys))
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	r := ring()
	r.Rotate(key("c", signingkey.ES256), time.Hour, now())
	r.Stored()
	const after = 24 * time.Hour
	if r.Forget(after, now().Add(25*time.Hour-1)) {
		t.Error("Forget() dropped a key before its time")
	}
	if !r.Forget(after, now().Add(25*time.Hour)) {
		t.Error("Forget() kept a key beyond its time")
	}
	if events := r.Stored(); len(events) != 1 || events[0].Kind() != signingkey.KindRetired {
		t.Errorf("events = %v, want one jwt_key.retired", events)
	}
	states(t, r, now().Add(25*time.Hour))
}
