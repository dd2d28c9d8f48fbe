package mfa

import (
	"slices"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
)

// MaxApps is how many TOTP apps one account may have enrolled.
const MaxApps = 5

// EnrollmentLife is how long an enrollment waits for its first code.
const EnrollmentLife = 15 * time.Minute

// Errors of enrollments.
var (
	ErrTooMany   = fault.LimitReached("authenticator app", MaxApps, "remove one first")
	ErrMailed    = fault.New(fault.Validation, "email codes are already enrolled")
	ErrMailOnly  = fault.New(fault.Validation, "this account can only sign in by email, so email codes cannot be its second factor: enroll an authenticator app or passkey, or set a password")
	ErrNoPending = fault.New(fault.Validation, "no enrollment in progress: start with AUTH.MFA_SETUP_TOTP or AUTH.MFA_SETUP_EMAIL")
)

// BeginApp begins to enroll a TOTP app by its shared secret, in place of an enrollment that
// waits. It fails with ErrTooMany.
func (f *Factors) BeginApp(id ID, name, key string, now time.Time) error {
	f.drop(TOTP)
	if f.apps() >= MaxApps {
		return ErrTooMany
	}
	f.s.Factors = append(f.s.Factors, Factor{ID: id, Method: TOTP, Name: name, Secret: key, CreatedAt: now})
	return nil
}

// BeginMail begins to enroll codes by email, in place of an enrollment that waits;
// the code of a challenge confirms it. It fails with ErrMailed.
func (f *Factors) BeginMail(id ID, challenge string, now time.Time) error {
	if f.Has(Email) {
		return ErrMailed
	}
	f.drop(Email)
	f.s.Factors = append(f.s.Factors, Factor{ID: id, Method: Email, Challenge: challenge, CreatedAt: now})
	return nil
}

// drop ends an enrollment that waits for its first code.
func (f *Factors) drop(method Method) {
	f.s.Factors = slices.DeleteFunc(slices.Clone(f.s.Factors), func(one Factor) bool { return one.Method == method && one.Pending() })
}

func (f *Factors) apps() int {
	count := 0
	for _, one := range f.s.Enrolled() {
		if one.Method == TOTP {
			count++
		}
	}
	return count
}

// Pending returns the enrollment of a method that waits for its first code, without a
// method the one that began last. It fails with ErrNoPending.
func (f *Factors) Pending(method Method, now time.Time) (Factor, error) {
	for _, one := range slices.Backward(f.s.Factors) {
		if one.Pending() && now.Sub(one.CreatedAt) < EnrollmentLife && (method == "" || method == one.Method) {
			return one, nil
		}
	}
	return Factor{}, ErrNoPending
}

// Confirm completes an enrollment by its first code, which cannot be used again. With
// the first factor, fresh becomes the account's recovery codes: Confirm reports whether
// it did. It fails with ErrWrongCode, which is not counted for an app: the caller was
// shown the secret, so there is nothing to guess.
func (f *Factors) Confirm(pending Factor, a Attempt, fresh []secret.Shown, now time.Time) (bool, error) {
	step := int64(0)
	if pending.Method == TOTP {
		var right bool
		if step, right = pending.match(a, now); !right {
			return false, ErrWrongCode
		}
	} else if !a.Mailed {
		return false, ErrWrongCode
	}
	first := !f.Enrolled()
	f.change(pending.ID, func(one *Factor) { one.Step, one.Challenge, one.ConfirmedAt = step, "", now })
	if first {
		f.keep(fresh)
	}
	f.Raise(Enrolled{UserID: f.s.UserID, FactorID: pending.ID, Method: pending.Method})
	return first, nil
}
