package commands_test

import (
	"bytes"
	"slices"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

func wrong(p instance.Person) instance.Call {
	return instance.Login(instance.Person{Email: p.Email, Password: "not the passphrase of " + p.Email})
}

// alike fails the test unless two refusals cannot be told apart.
func alike(t *testing.T, what string, one, other *instance.Reply) {
	t.Helper()
	if one.Status != other.Status || !bytes.Equal(one.Body, other.Body) {
		t.Errorf("%s: %d %s differs from %d %s", what, one.Status, one.Body, other.Status, other.Body)
	}
	for name := range one.Header {
		same := slices.Equal(one.Header[name], other.Header[name])
		if name != "Date" && name != "X-Request-Id" && !same {
			t.Errorf("%s: header %s is %q and %q", what, name, one.Header[name], other.Header[name])
		}
	}
	if len(one.Header) != len(other.Header) {
		t.Errorf("%s: headers %v and %v", what, one.Header, other.Header)
	}
}

func TestLockout(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin, ada, bob := s.First().Admin(), s.First().SignUp(), s.First().SignUp()
		unknown := s.First().Do(instance.Login(instance.Newcomer())).Fails("AUTH_ERROR")

		for i := range 9 {
			alike(t, "a wrong password and an unknown address", s.Any(i).Do(wrong(ada)).Fails("AUTH_ERROR"), unknown)
		}
		s.Last().Do(instance.Login(ada)).OK() // which sets the counter back
		for i := range 10 {
			attempt := ada
			attempt.Email = spelling(ada.Email, i)
			s.Any(i).Do(wrong(attempt)).Fails("AUTH_ERROR")
		}
		for i := range 4 {
			alike(t, "the right password of a locked account", s.Any(i).Do(instance.Login(ada)).Fails("AUTH_ERROR"), unknown)
			alike(t, "a wrong password of a locked account", s.Any(i).Do(wrong(ada)).Fails("AUTH_ERROR"), unknown)
		}
		// The lock does not reach who is in already, nor anybody else.
		s.Last().As(ada, "USER.ME", nil).OK()
		s.Last().Rotate(ada.Refresh).OK()
		s.Last().Do(instance.Login(bob)).OK()
		if got := s.Last().Happened(admin, "user.locked", ada); got != 1 {
			t.Errorf("%d events user.locked, want 1", got)
		}
		s.Last().As(admin, "USER.UNLOCK", P{"user_id": ada.ID}).OK()
		s.First().Do(instance.Login(ada)).OK()

		s.First().As(admin, "USER.DISABLE", P{"user_id": bob.ID}).OK()
		alike(t, "a disabled account", s.Last().Do(instance.Login(bob)).Fails("AUTH_ERROR"), unknown)
		passwordless := instance.Newcomer()
		s.First().As(admin, "USER.CREATE", P{"email": passwordless.Email}).OK()
		alike(t, "an account without a password", s.Last().Do(instance.Login(passwordless)).Fails("AUTH_ERROR"), unknown)
	})
}

// Twenty guesses at once get ten tries and no more.
func TestParallelGuessesLock(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin, ada := s.First().Admin(), s.First().SignUp()
		answers := instance.Together(20, func(i int) *instance.Reply { return s.Any(i).Do(wrong(ada)) })
		if got := instance.Codes(answers); got["AUTH_ERROR"] != 20 {
			t.Errorf("20 parallel guesses = %v", got)
		}
		s.Last().Do(instance.Login(ada)).Fails("AUTH_ERROR")
		if got := s.Last().Happened(admin, "user.locked", ada); got != 1 {
			t.Errorf("%d events user.locked, want 1", got)
		}
		if got := s.Last().Happened(admin, "login.failed", ada); got != 21 {
			t.Errorf("%d events login.failed, want 21", got)
		}
	})
}
