package mfa_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

const owner = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")

// at is in the middle of a time step.
func at() time.Time { return time.Unix(1_800_000_015, 0).UTC() }

// codes are of an app whose code is its step, if its secret is right.
func codes(key string, step int64) string {
	if key != "key" {
		return ""
	}
	return fmt.Sprintf("%06d", step%1_000_000)
}

// shown is the code of the app some steps off.
func shown(off int64) string { return codes("key", at().Unix()/30+off) }

func totp(code string) mfa.Attempt {
	return mfa.Attempt{Method: mfa.TOTP, Code: code, Codes: codes}
}

func given(method mfa.Method, code secret.Shown) mfa.Attempt {
	return mfa.Attempt{Method: method, Code: string(code), Codes: codes}
}

func limits() policy.Lockout { return policy.Defaults().Lockout }

// counting returns bytes that look random, and other ones with each call.
type counting struct{ next byte }

func (c *counting) Bytes(n int) []byte {
	c.next++
	drawn := sha256.Sum256([]byte{c.next})
	return drawn[:n]
}

// enrolled are factors with one app and these recovery codes.
func enrolled(t *testing.T) (*mfa.Factors, []secret.Shown) {
	t.Helper()
	f, fresh := mfa.None(owner), mfa.NewRecoveryCodes(&counting{})
	if err := f.BeginApp("fac_1", "Phone", "key", at()); err != nil {
		t.Fatal(err)
	}
	pending, err := f.Pending("", at())
	if err != nil {
		t.Fatal(err)
	}
	if first, err := f.Confirm(pending, totp(shown(-1)), fresh, at()); err != nil || !first {
		t.Fatalf("Confirm() = %t, %v", first, err)
	}
	return f, fresh
}

func kinds(f *mfa.Factors) []event.Kind {
	var raised []event.Kind
	for _, e := range f.Stored() {
		raised = append(raised, e.Kind())
	}
	return raised
}

func TestSteps(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		// used was used before; tried is tried now.
		used, tried int64
		want        bool
	}{
		{"the step before", -5, -1, true},
		{"the same step", -5, 0, true},
		{"the step after", -5, 1, true},
		{"two before", -5, -2, false},
		{"two after", -5, 2, false},
		{"a used one", 0, 0, false},
		{"one below a used one", 0, -1, false},
		{"one above a used one", 0, 1, true},
	} {
		s := mfa.Snapshot{UserID: owner, Factors: []mfa.Factor{
			{ID: "fac_1", Method: mfa.TOTP, Secret: "key", Step: at().Unix()/30 + test.used, ConfirmedAt: at()},
		}}
		f := mfa.Restore(s, 1)
		if got := f.Verify(totp(shown(test.tried)), limits(), at()); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
		if after := f.Snapshot().Factors[0]; test.want && (after.Step != at().Unix()/30+test.tried || !after.LastUsedAt.Equal(at())) {
			t.Errorf("%s: afterwards %+v", test.name, after)
		}
		if s.Factors[0].Step != at().Unix()/30+test.used {
			t.Errorf("%s: the state that was handed in changed", test.name)
		}
	}
}

// A secret that cannot be read, a pending enrollment and an empty code match nothing.
func TestCodesThatNeverMatch(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]mfa.Factor{
		"malformed": {Method: mfa.TOTP, Secret: "other", ConfirmedAt: at()},
		"pending":   {Method: mfa.TOTP, Secret: "key"},
		"mail":      {Method: mfa.Email, Secret: "key", ConfirmedAt: at()},
	} {
		for _, code := range []string{shown(0), ""} {
			f := mfa.Restore(mfa.Snapshot{UserID: owner, Factors: []mfa.Factor{one}}, 1)
			if f.Verify(totp(code), limits(), at()) {
				t.Errorf("%s: %q is right", name, code)
			}
		}
	}
	for _, method := range []mfa.Method{mfa.Bypass, mfa.RecoveryCode, mfa.Email, mfa.Passkey, "other"} {
		if f := mfa.None(owner); f.Verify(mfa.Attempt{Method: method, Codes: codes}, limits(), at()) {
			t.Errorf("nothing is right as %s", method)
		}
	}
}

func TestConfirmedCodeIsUsed(t *testing.T) {
	t.Parallel()
	f, _ := enrolled(t)
	if f.Verify(totp(shown(-1)), limits(), at()) {
		t.Error("the code of the enrollment works again")
	}
	if !f.Verify(totp(shown(0)), limits(), at()) {
		t.Error("the next code does not work")
	}
	want := []event.Kind{mfa.KindEnrolled, mfa.KindFailed, mfa.KindSucceeded}
	if got := kinds(f); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

func TestRecoveryCodesWorkOnce(t *testing.T) {
	t.Parallel()
	f, fresh := enrolled(t)
	for i, code := range fresh {
		typed := " " + strings.ToUpper(strings.ReplaceAll(string(code), "-", " "))
		if i%2 == 0 {
			typed = string(code)
		}
		for try, want := range []bool{true, false} {
			if got := f.Verify(given(mfa.RecoveryCode, secret.Shown(typed)), limits(), at()); got != want {
				t.Errorf("code %d, try %d: %t", i, try, got)
			}
		}
		f.Allow("0000-0000-0000", at()) // resets the counter
	}
	if slices.Contains(f.Methods(), mfa.RecoveryCode) {
		t.Error("recovery codes are offered though none is left")
	}
	if err := f.Regenerate(mfa.NewRecoveryCodes(&counting{100})); err != nil || len(f.Snapshot().Recovery) != mfa.RecoveryCodes {
		t.Errorf("Regenerate() = %v", err)
	}
	if err := mfa.None(owner).Regenerate(fresh); !errors.Is(err, mfa.ErrNone) {
		t.Errorf("Regenerate() without factors = %v", err)
	}
}

// No code stands in the state, and the digest of one is of this account alone.
func TestCodesAreKeptAsDigests(t *testing.T) {
	t.Parallel()
	f, fresh := enrolled(t)
	bypass := mfa.NewBypass(&counting{50})
	f.Allow(bypass, at().Add(time.Hour))
	state := fmt.Sprintf("%+v", f.Snapshot())
	for _, code := range append(fresh, bypass) {
		if strings.Contains(state, string(code)) || strings.Contains(state, strings.ReplaceAll(string(code), "-", "")) {
			t.Errorf("a code stands in the state")
		}
	}
	s := f.Snapshot()
	s.UserID = "usr_01jd7x9k2mf3q8v5t0abcdefgj"
	moved := mfa.Restore(s, 1)
	if moved.Verify(given(mfa.RecoveryCode, fresh[0]), limits(), at()) || moved.Verify(given(mfa.Bypass, bypass), limits(), at()) {
		t.Error("a code of another account is right")
	}
}

func TestBypass(t *testing.T) {
	t.Parallel()
	first, second := mfa.NewBypass(&counting{1}), mfa.NewBypass(&counting{77})
	for _, test := range []struct {
		name string
		code secret.Shown
		now  time.Time
		want bool
	}{
		{"in time", second, at().Add(time.Hour - 1), true},
		{"too late", second, at().Add(time.Hour), false},
		{"replaced", first, at(), false},
	} {
		f, _ := enrolled(t)
		f.Allow(first, at().Add(time.Hour))
		f.Allow(second, at().Add(time.Hour))
		if got := f.Verify(given("", test.code), limits(), test.now); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
		if test.want && f.Verify(given(mfa.Bypass, test.code), limits(), test.now) {
			t.Errorf("%s: it works twice", test.name)
		}
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	f, fresh := enrolled(t)
	rules := policy.Lockout{MaxFailures: 3, WindowMinutes: 15, DurationMinutes: 10}
	now := at()
	miss := func(times int) {
		for range times {
			if f.Verify(given(mfa.RecoveryCode, "wrong"), rules, now) {
				t.Fatal("a wrong code is right")
			}
		}
	}
	miss(2)
	now = now.Add(15 * time.Minute) // they count no more
	miss(2)
	if f.Locked(now) {
		t.Fatal("locked by failures that are too old")
	}
	if !f.Verify(given(mfa.RecoveryCode, fresh[0]), rules, now) {
		t.Fatal("the right code fails before the lock")
	}
	miss(3)
	until := now.Add(10 * time.Minute)
	now = until.Add(-time.Nanosecond)
	miss(5)
	if f.Verify(given(mfa.RecoveryCode, fresh[1]), rules, now) || !f.Snapshot().LockedUntil.Equal(until) {
		t.Errorf("the lock lasts until %v, want %v", f.Snapshot().LockedUntil, until)
	}
	now = until
	if !f.Verify(given(mfa.RecoveryCode, fresh[1]), rules, now) {
		t.Error("the right code fails after the lock")
	}
}

func TestFormDecidesTheMethod(t *testing.T) {
	t.Parallel()
	withApp, fresh := enrolled(t)
	for code, want := range map[string]mfa.Method{
		"123456": mfa.TOTP, " 123 456 ": mfa.TOTP, "12345a": mfa.RecoveryCode, "1234567": mfa.RecoveryCode,
		string(fresh[0]): mfa.RecoveryCode, string(mfa.NewBypass(&counting{})): mfa.Bypass, "123456789012": mfa.Bypass,
	} {
		if got := withApp.Resolve(mfa.Attempt{Code: code}); got != want {
			t.Errorf("%q is taken for %s, want %s", code, got, want)
		}
	}
	if got := mfa.None(owner).Resolve(mfa.Attempt{Code: "123456"}); got != mfa.Email {
		t.Errorf("without an app six digits are taken for %s", got)
	}
	if got := withApp.Resolve(mfa.Attempt{Code: "123456", Method: mfa.Bypass}); got != mfa.Bypass {
		t.Errorf("what is said to be a bypass is taken for %s", got)
	}
}

func TestEnrollmentOfMail(t *testing.T) {
	t.Parallel()
	f, fresh := enrolled(t)
	if err := f.BeginMail("fac_2", "digest", at()); err != nil {
		t.Fatal(err)
	}
	if err := f.BeginMail("fac_3", "newer", at()); err != nil {
		t.Fatal(err)
	}
	pending, err := f.Pending(mfa.Email, at())
	if err != nil || pending.ID != "fac_3" || pending.Challenge != "newer" {
		t.Fatalf("pending = %+v, %v", pending, err)
	}
	if _, err := f.Confirm(pending, mfa.Attempt{Code: "123456"}, fresh, at()); !errors.Is(err, mfa.ErrWrongCode) {
		t.Errorf("Confirm() of a wrong code = %v", err)
	}
	if first, err := f.Confirm(pending, mfa.Attempt{Mailed: true}, nil, at()); err != nil || first {
		t.Errorf("Confirm() = %t, %v", first, err)
	}
	if got, want := f.Methods(), []mfa.Method{mfa.TOTP, mfa.Email, mfa.RecoveryCode}; !slices.Equal(got, want) {
		t.Errorf("methods %q, want %q", got, want)
	}
	if err := f.BeginMail("fac_4", "again", at()); !errors.Is(err, mfa.ErrMailed) {
		t.Errorf("a second enrollment = %v", err)
	}
	if !f.Verify(mfa.Attempt{Method: mfa.Email, Mailed: true}, limits(), at()) || !f.Snapshot().Factors[1].LastUsedAt.Equal(at()) {
		t.Errorf("after a mailed code: %+v", f.Snapshot().Factors)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	f, _ := enrolled(t)
	if err := f.BeginApp("fac_2", "Other", "key", at()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[mfa.ID]error{"fac_2": mfa.ErrNotFound, "fac_9": mfa.ErrNotFound, "fac_1": mfa.ErrRequired} {
		if err := f.Remove(id, true); !errors.Is(err, want) {
			t.Errorf("Remove(%s) = %v, want %v", id, err, want)
		}
	}
	if err := f.Remove("fac_1", false); err != nil || f.Enrolled() || len(f.Snapshot().Recovery) != 0 {
		t.Errorf("Remove() = %v, left %+v", err, f.Snapshot())
	}
	if len(f.Methods()) != 0 {
		t.Errorf("methods %q", f.Methods())
	}
}

func TestMailsAreBounded(t *testing.T) {
	t.Parallel()
	f, now := mfa.None(owner), at()
	for range mfa.MailsAnHour {
		if err := f.Mail(now); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Minute)
	}
	err := f.Mail(now)
	if failure, ok := errors.AsType[*fault.Error](err); !ok || failure.Code != fault.RateLimited || failure.RetryAfter != time.Hour-mfa.MailsAnHour*time.Minute {
		t.Errorf("one too many = %v", err)
	}
	if f.Reset("") != 0 || f.Mail(now) == nil {
		t.Error("a reset lets more mail out")
	}
	if err := f.Mail(at().Add(time.Hour)); err != nil {
		t.Errorf("an hour later = %v", err)
	}
}

// FuzzVerify looks for a code that is right though nothing is enrolled.
func FuzzVerify(f *testing.F) {
	f.Add("123456", "totp")
	f.Add("0000-0000-0000-0000", "")
	f.Fuzz(func(t *testing.T, code, method string) {
		if mfa.None(owner).Verify(mfa.Attempt{Method: mfa.Method(method), Code: code, Codes: codes}, limits(), at()) {
			t.Errorf("%q is right as %q", code, method)
		}
	})
}

// After a reset by mail, a mailed code is no second factor for a day where there is
// another one.
func TestDistrustedMail(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	mail := func(f *mfa.Factors) {
		if err := f.BeginMail("fac_2", "challenge", at()); err != nil {
			t.Fatal(err)
		}
		pending, err := f.Pending(mfa.Email, at())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Confirm(pending, mfa.Attempt{Method: mfa.Email, Mailed: true}, nil, at()); err != nil {
			t.Fatal(err)
		}
	}
	both, _ := enrolled(t)
	mail(both)
	alone := mfa.None(owner)
	mail(alone)
	for name, c := range map[string]struct {
		factors *mfa.Factors
		passkey bool
		after   time.Duration
		want    bool
	}{
		"beside an app":             {both, false, 0, false},
		"until the day is over":     {both, false, day - time.Microsecond, false},
		"once it is":                {both, false, day, true},
		"beside a passkey":          {alone, true, 0, false},
		"beside a passkey, later":   {alone, true, day, true},
		"the only one":              {alone, false, 0, true},
		"where it was not enrolled": {mfa.None(owner), true, day, false},
	} {
		reset := mfa.Restore(c.factors.Snapshot(), 1)
		reset.DistrustMail(at())
		if got := reset.TakesMail(c.passkey, at().Add(c.after)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !both.TakesMail(true, at()) || !alone.TakesMail(true, at()) {
		t.Error("without a reset mail answers nothing")
	}
}
