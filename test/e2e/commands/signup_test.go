package commands_test

import (
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/instance"
)

// spelling is an address in another case.
func spelling(address string, i int) string {
	spelled := []byte(address)
	for at := range spelled {
		if i>>(at%6)&1 == 1 {
			spelled[at] = strings.ToUpper(address)[at]
		}
	}
	return string(spelled)
}

func TestParallelSignUpsMakeOneAccount(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		admin := s.First().Admin()
		for range 3 {
			ada := instance.Newcomer()
			answers := instance.Together(50, func(i int) *instance.Reply {
				again := ada
				again.Email = spelling(ada.Email, i)
				return s.Any(i).Do(instance.Signup(again))
			})
			if got := instance.Codes(answers); got["OK"] != 1 || got["VALIDATION_ERROR"] != 49 {
				t.Errorf("50 parallel sign-ups = %v, want one account", got)
			}
			if found := s.Last().As(admin, "USER.LIST", P{"query": ada.Email}).Items(); len(found) != 1 {
				t.Errorf("%d accounts of %s, want 1", len(found), ada.Email)
			}
			for i, answer := range answers {
				if answer.Code() == "OK" {
					s.Any(i + 1).Again(ada)
				}
			}
		}
		s.ExpectWhole()
	})
}

func TestRegistrationSwitchedOff(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on, "ENABLE_PUBLIC_REGISTRATION=false")
		answer := s.Last().Do(instance.Signup(instance.Newcomer())).Fails("PERMISSION_DENIED")
		if answer.Status != 403 {
			t.Errorf("status %d, want 403", answer.Status)
		}
		// An administrator still makes accounts, and their owners log in.
		admin, ada := s.First().Admin(), instance.Newcomer()
		s.First().As(admin, "USER.CREATE", P{"email": ada.Email, "password": ada.Password}).OK()
		s.Last().Again(ada)
		s.First().Do(instance.Signup(ada)).Fails("PERMISSION_DENIED") // it tells nothing about the address
	})
}
