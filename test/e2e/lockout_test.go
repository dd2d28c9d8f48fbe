package e2e_test

import (
	"bytes"
	"slices"
	"testing"
)

// series is how often a test that watches a race gets another try: on a busy machine
// one try may miss what the test looks for.
const series = 20

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
