package credential_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/policy"
)

func rules() policy.Lockout {
	return policy.Lockout{MaxFailures: 3, WindowMinutes: 15, DurationMinutes: 10}
}

func now() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) }

func fresh() *credential.Credential {
	c := credential.New("usr_01jd7x9k2mf3q8v5t0abcdefgh", "hash", now())
	c.Stored()
	return c
}

func fail(c *credential.Credential, times int, at time.Time) {
	for range times {
		c.Fail(rules(), at)
	}
}

func TestLocksAtTheLimit(t *testing.T) {
	t.Parallel()
	c := fresh()
	fail(c, 2, now())
	if c.Locked(now()) {
		t.Fatal("locked after two of three failures")
	}
	fail(c, 1, now())
	if !c.Locked(now()) {
		t.Fatal("not locked after three failures")
	}
	if events := c.Stored(); len(events) != 1 || events[0].Kind() != credential.KindLocked {
		t.Errorf("events = %v, want one user.locked", events)
	}
}

func TestLockEndsWhenItSays(t *testing.T) {
	t.Parallel()
	c := fresh()
	fail(c, 3, now())
	end := now().Add(10 * time.Minute)
	fail(c, 100, end.Add(-time.Microsecond))
	if !c.Locked(end.Add(-time.Microsecond)) {
		t.Error("the lock ended early")
	}
	if c.Locked(end) {
		t.Error("hammering made the lock longer")
	}
	fail(c, 2, end)
	if c.Locked(end) {
		t.Error("failures from before or during the lock still count after it")
	}
}

func TestFailuresCountWithinTheWindow(t *testing.T) {
	t.Parallel()
	c := fresh()
	fail(c, 2, now())
	fail(c, 1, now().Add(15*time.Minute))
	if c.Locked(now().Add(15 * time.Minute)) {
		t.Error("failures older than the window count")
	}
	fail(c, 2, now().Add(16*time.Minute))
	if !c.Locked(now().Add(16 * time.Minute)) {
		t.Error("three failures within the window do not lock")
	}
}

func TestWhatClearsTheCounter(t *testing.T) {
	t.Parallel()
	for name, reset := range map[string]func(*credential.Credential){
		"a right password":     func(c *credential.Credential) { c.Succeed() },
		"a changed password":   func(c *credential.Credential) { c.Change("other", now()) },
		"an administrator set": func(c *credential.Credential) { c.Set("other", now()) },
		"an unlock":            func(c *credential.Credential) { c.Unlock() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := fresh()
			fail(c, 2, now())
			reset(c)
			fail(c, 2, now())
			if c.Locked(now()) {
				t.Error("failures from before still count")
			}
		})
	}
}

func TestUnlockLiftsTheLock(t *testing.T) {
	t.Parallel()
	c := fresh()
	fail(c, 3, now())
	c.Unlock()
	if c.Locked(now()) {
		t.Error("still locked after Unlock")
	}
}

func TestUpgradeIsNoChangeOfPassword(t *testing.T) {
	t.Parallel()
	c := fresh()
	c.Upgrade("better")
	if c.Hash() != "better" || c.Changed() || !c.Snapshot().SetAt.Equal(now()) {
		t.Errorf("Upgrade() left hash %q, changed %v, set at %v", c.Hash(), c.Changed(), c.Snapshot().SetAt)
	}
}
