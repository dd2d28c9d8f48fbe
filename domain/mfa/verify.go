package mfa

import (
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/policy"
)

// stepLength is a time step of TOTP, and skew how many steps the clock of an app may
// be off either way (RFC 6238 section 5.2, contract section 5).
const (
	stepLength = 30
	skew       = 1
)

// codeDigits is how many digits the codes of apps and those by email have.
const codeDigits = 6

// Codes returns the code of an app with a secret at a time step, "" where it has none.
type Codes func(secret string, step int64) string

// Attempt is a code entered by a person.
type Attempt struct {
	// Method is the method of the code; without one, its form decides.
	Method Method
	Code   string
	Codes  Codes
	// Mailed reports whether it is the code that was mailed for the challenge. That is the
	// challenge's to know.
	Mailed bool
}

// Resolve returns the method that an attempt is judged by.
func (f *Factors) Resolve(a Attempt) Method {
	code := plain(a.Code)
	switch {
	case a.Method != "":
		return a.Method
	case len(code) == codeDigits && strings.Trim(code, "0123456789") == "":
		if f.Has(TOTP) {
			return TOTP
		}
		return Email
	case len(code) == bypassLength:
		return Bypass
	default:
		return RecoveryCode
	}
}

// Verify judges the answer to a challenge, and uses the code up. Wrong ones count
// over all challenges of the account and lock it for codes; during a lock none is
// looked at and none counts, so that hammering does not lengthen it.
func (f *Factors) Verify(a Attempt, limits policy.Lockout, now time.Time) bool {
	a.Method = f.Resolve(a)
	if f.Locked(now) || !f.accept(a, now) {
		f.fail(a.Method, limits, now)
		return false
	}
	f.s.Failures = nil
	f.Raise(Succeeded{UserID: f.s.UserID, Method: a.Method})
	return true
}

// Locked reports whether wrong codes have locked the account for codes.
func (f *Factors) Locked(now time.Time) bool { return now.Before(f.s.LockedUntil) }

// Failing reports whether wrong codes are counted, or have locked the account for codes.
func (f *Factors) Failing(now time.Time) bool { return f.Locked(now) || len(f.s.Failures) > 0 }

// Unlock lifts the lock and forgets the wrong codes that were counted.
func (f *Factors) Unlock() { f.s.Failures, f.s.LockedUntil = nil, time.Time{} }

// Miss counts a wrong code of an enrollment by email.
func (f *Factors) Miss(limits policy.Lockout, now time.Time) { f.fail(Email, limits, now) }

func (f *Factors) accept(a Attempt, now time.Time) bool {
	switch a.Method {
	case TOTP:
		return f.step(a, now)
	case Email:
		return f.mailed(a.Mailed, now)
	case RecoveryCode:
		return f.redeem(a.Code)
	case Bypass:
		return f.bypassed(a.Code, now)
	case Passkey:
	}
	return false
}

// step verifies a code of an app, and rejects it and earlier ones from then on.
func (f *Factors) step(a Attempt, now time.Time) bool {
	for _, one := range f.s.Enrolled() {
		if one.Method != TOTP {
			continue
		}
		if step, right := one.match(a, now); right {
			f.change(one.ID, func(used *Factor) { used.Step, used.LastUsedAt = step, now })
			return true
		}
	}
	return false
}

// mailed notes the use of a mailed code, if it is the right one.
func (f *Factors) mailed(right bool, now time.Time) bool {
	for _, one := range f.s.Enrolled() {
		if one.Method == Email && right {
			f.change(one.ID, func(used *Factor) { used.LastUsedAt = now })
		}
	}
	return right
}

// match returns the time step of a code among those that may still be used.
func (f Factor) match(a Attempt, now time.Time) (int64, bool) {
	code, current := plain(a.Code), now.Unix()/stepLength
	found, right := int64(0), false
	for step := current - skew; step <= current+skew; step++ {
		want := a.Codes(f.Secret, step)
		if want != "" && equal(code, want) && step > f.Step {
			found, right = step, true
		}
	}
	return found, right
}

// fail counts a wrong code, unless the account is locked.
func (f *Factors) fail(method Method, limits policy.Lockout, now time.Time) {
	if !f.Locked(now) {
		f.s.Failures = slices.DeleteFunc(slices.Clone(f.s.Failures), func(at time.Time) bool { return now.Sub(at) >= limits.Window() })
		f.s.Failures = append(f.s.Failures, now)
		if len(f.s.Failures) >= limits.MaxFailures {
			f.s.Failures, f.s.LockedUntil = nil, now.Add(limits.Duration())
		}
	}
	failed := Failed{UserID: f.s.UserID, Method: method}
	if f.Locked(now) {
		failed.LockedUntil = f.s.LockedUntil
	}
	f.Raise(failed)
}
