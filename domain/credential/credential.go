// Package credential defines password credentials, and the lock against guessing
// (contract section 4).
package credential

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
)

// Snapshot is the stored state of a credential.
type Snapshot struct {
	UserID user.ID
	// Hash is the password's hash in PHC or an imported format; empty when the
	// account has no password.
	Hash  string
	SetAt time.Time
	// Failures are the times of wrong passwords that still count.
	Failures    []time.Time
	LockedUntil time.Time
}

// Credential is the password of one account with its failure counter.
type Credential struct {
	aggregate.Root
	s Snapshot
}

// New makes a credential for an account; the hash may be empty.
func New(owner user.ID, hash string, now time.Time) *Credential {
	return &Credential{s: Snapshot{UserID: owner, Hash: hash, SetAt: now}}
}

// Restore returns the credential that was stored.
func Restore(s Snapshot, version int64) *Credential {
	return &Credential{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (c *Credential) Snapshot() Snapshot { return c.s }

// Hash returns the stored password hash, empty for an account without one.
func (c *Credential) Hash() string { return c.s.Hash }

// Locked reports whether guessing has locked the account at this moment.
func (c *Credential) Locked(now time.Time) bool { return now.Before(c.s.LockedUntil) }

// Fail counts a wrong password. Failures during a lock do not count, so that
// hammering does not lengthen it.
func (c *Credential) Fail(limits policy.Lockout, now time.Time) {
	if c.Locked(now) {
		return
	}
	c.s.Failures = append(c.recent(limits, now), now)
	if len(c.s.Failures) >= limits.MaxFailures {
		c.s.Failures = nil
		c.s.LockedUntil = now.Add(limits.Duration())
		c.Raise(Locked{UserID: c.s.UserID, Until: c.s.LockedUntil})
	}
}

func (c *Credential) recent(limits policy.Lockout, now time.Time) []time.Time {
	var recent []time.Time
	for _, at := range c.s.Failures {
		if now.Sub(at) < limits.Window() {
			recent = append(recent, at)
		}
	}
	return recent
}

// Succeed clears the counter after a right password.
func (c *Credential) Succeed() { c.s.Failures = nil }

// Failing reports whether there is a counter to clear.
func (c *Credential) Failing() bool { return len(c.s.Failures) > 0 }

// Upgrade stores the same password under newer hash settings.
func (c *Credential) Upgrade(hash string) { c.s.Hash = hash }

// Change stores a password that its owner chose.
func (c *Credential) Change(hash string, now time.Time) {
	c.replace(hash, now)
	c.Raise(Changed{UserID: c.s.UserID})
}

// Set stores a password that an administrator chose.
func (c *Credential) Set(hash string, now time.Time) {
	c.replace(hash, now)
	c.Raise(WasSet{UserID: c.s.UserID})
}

// Import stores a hash from another system. Failure counters and locks stay, because
// the password was not verified.
func (c *Credential) Import(hash string, now time.Time) {
	c.s.Hash, c.s.SetAt = hash, now
	c.Raise(WasSet{UserID: c.s.UserID})
}

func (c *Credential) replace(hash string, now time.Time) {
	c.s.Hash, c.s.SetAt = hash, now
	c.s.Failures, c.s.LockedUntil = nil, time.Time{}
}

// Unlock lifts a lock and resets the counter.
func (c *Credential) Unlock() {
	c.s.Failures, c.s.LockedUntil = nil, time.Time{}
	c.Raise(Unlocked{UserID: c.s.UserID})
}
