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

// states returns the state of each key by its kid, and fails unless exactly one is
// active and one is next.
func states(t *testing.T, r *signingkey.Ring, at time.Time) map[string]signingkey.State {
	t.Helper()
	all, count := map[string]signingkey.State{}, map[signingkey.State]int{}
	for _, k := range r.Snapshot().Keys {
		all[k.KID] = k.State(at)
		count[k.State(at)]++
	}
	if count[signingkey.Active] != 1 || count[signingkey.Next] != 1 {
		t.Errorf("states = %v, want one active and one next", all)
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
	if told := r.Stored(); len(told) != 1 || told[0].Kind() != signingkey.KindRetired {
		t.Errorf("events = %v, want one jwt_key.retired", told)
	}
	states(t, r, now().Add(25*time.Hour))
}
