package e2e_test

import (
	"bytes"
	"slices"
	"testing"
	"time"
)

func wrong(p person) call {
	return login(person{email: p.email, password: "not the passphrase of " + p.email})
}

// alike fails the test unless two refusals cannot be told apart.
func alike(t *testing.T, what string, one, other *reply) {
	t.Helper()
	if one.status != other.status || !bytes.Equal(one.body, other.body) {
		t.Errorf("%s: %d %s differs from %d %s", what, one.status, one.body, other.status, other.body)
	}
	for name := range one.header {
		same := slices.Equal(one.header[name], other.header[name])
		if name != "Date" && name != "X-Request-Id" && !same {
			t.Errorf("%s: header %s is %q and %q", what, name, one.header[name], other.header[name])
		}
	}
	if len(one.header) != len(other.header) {
		t.Errorf("%s: headers %v and %v", what, one.header, other.header)
	}
}

func TestLockout(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin, ada, bob := s.first().admin(), s.first().signUp(), s.first().signUp()
		unknown := s.first().do(login(newcomer())).fails("AUTH_ERROR")

		for i := range 9 {
			alike(t, "a wrong password and an unknown address", s.any(i).do(wrong(ada)).fails("AUTH_ERROR"), unknown)
		}
		s.last().do(login(ada)).ok() // which sets the counter back
		for i := range 10 {
			attempt := ada
			attempt.email = spelling(ada.email, i)
			s.any(i).do(wrong(attempt)).fails("AUTH_ERROR")
		}
		for i := range 4 {
			alike(t, "the right password of a locked account", s.any(i).do(login(ada)).fails("AUTH_ERROR"), unknown)
			alike(t, "a wrong password of a locked account", s.any(i).do(wrong(ada)).fails("AUTH_ERROR"), unknown)
		}
		// The lock does not reach who is in already, nor anybody else.
		s.last().as(ada, "USER.ME", nil).ok()
		s.last().rotate(ada.refresh).ok()
		s.last().do(login(bob)).ok()
		if got := s.last().happened(admin, "user.locked", ada); got != 1 {
			t.Errorf("%d events user.locked, want 1", got)
		}
		s.last().as(admin, "USER.UNLOCK", P{"user_id": ada.id}).ok()
		s.first().do(login(ada)).ok()

		s.first().as(admin, "USER.DISABLE", P{"user_id": bob.id}).ok()
		alike(t, "a disabled account", s.last().do(login(bob)).fails("AUTH_ERROR"), unknown)
		passwordless := newcomer()
		s.first().as(admin, "USER.CREATE", P{"email": passwordless.email}).ok()
		alike(t, "an account without a password", s.last().do(login(passwordless)).fails("AUTH_ERROR"), unknown)
	})
}

// Twenty guesses at once get ten tries and no more.
func TestParallelGuessesLock(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		admin, ada := s.first().admin(), s.first().signUp()
		answers := together(20, func(i int) *reply { return s.any(i).do(wrong(ada)) })
		if got := codes(answers); got["AUTH_ERROR"] != 20 {
			t.Errorf("20 parallel guesses = %v", got)
		}
		s.last().do(login(ada)).fails("AUTH_ERROR")
		if got := s.last().happened(admin, "user.locked", ada); got != 1 {
			t.Errorf("%d events user.locked, want 1", got)
		}
		if got := s.last().happened(admin, "login.failed", ada); got != 21 {
			t.Errorf("%d events login.failed, want 21", got)
		}
	})
}

const (
	timed = 60
	// series is how often the clock is given another chance: on a busy machine one
	// series may say anything, while a difference of the program shows in all.
	series = 3
)

// Not side by side with other tests, which would make the clock useless; with
// hashes that cost what they cost in production.
func TestRefusalsTakeTheSameTime(t *testing.T) {
	for _, on := range []store{sqlite(), postgres()} {
		t.Run(on.name, func(t *testing.T) {
			here := open(t, store{name: on.name, replicas: 1, database: on.database}, "ARGON2_MEMORY_KIB=19456", "ARGON2_TIME=2").first()
			for try := 1; ; try++ {
				medians, alike := here.timeRefusals()
				t.Logf("series %d: %v", try, medians)
				if alike {
					return
				}
				if try == series {
					t.Fatalf("in all of %d series the medians differ by more than 20 %%, at last: %v", series, medians)
				}
			}
		})
	}
}

// timeRefusals takes the median times in which logins into unknown, known and
// locked accounts are refused, and reports whether all are within 20 % of that of
// unknown ones.
func (r *replica) timeRefusals() (medians map[string]time.Duration, alike bool) {
	r.t.Helper()
	var known []person
	for range timed/9 + 1 { // nine wrong passwords lock nobody
		known = append(known, r.signUp())
	}
	locked := r.signUp()
	for range 10 {
		r.do(wrong(locked)).fails("AUTH_ERROR")
	}
	took := map[string][]time.Duration{}
	measure := func(what string, c call) {
		began := time.Now()
		r.do(c).fails("AUTH_ERROR")
		took[what] = append(took[what], time.Since(began))
	}
	for i := range timed {
		measure("unknown", wrong(newcomer()))
		measure("known", wrong(known[i%len(known)]))
		measure("locked", login(locked))
	}
	medians, alike = map[string]time.Duration{}, true
	unknown := median(took["unknown"])
	for what, times := range took {
		medians[what] = median(times)
		alike = alike && medians[what] >= unknown*8/10 && medians[what] <= unknown*12/10
	}
	return medians, alike
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
