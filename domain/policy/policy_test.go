package policy_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/policy"
)

func TestStricterTakesTheStricterOfEachValue(t *testing.T) {
	t.Parallel()
	one := policy.Set{
		Password: policy.Password{MinLength: 12, MinScore: 1},
		Session:  policy.Session{IdleMinutes: 30, AbsoluteMinutes: 600},
		Lockout:  policy.Lockout{MaxFailures: 5, WindowMinutes: 10, DurationMinutes: 60},
		MFA:      policy.MFA{Required: true, RememberDays: 30},
		Signup:   policy.Signup{AllowedDomains: []email.Domain{"example.com"}},
	}
	other := policy.Set{
		Password: policy.Password{MinLength: 8, MinScore: 3},
		Session:  policy.Session{IdleMinutes: 60, AbsoluteMinutes: 300},
		Lockout:  policy.Lockout{MaxFailures: 10, WindowMinutes: 20, DurationMinutes: 15},
		MFA:      policy.MFA{RememberDays: 7},
	}
	want := policy.Set{
		Password: policy.Password{MinLength: 12, MinScore: 3},
		Session:  policy.Session{IdleMinutes: 30, AbsoluteMinutes: 300},
		Lockout:  policy.Lockout{MaxFailures: 5, WindowMinutes: 20, DurationMinutes: 60},
		MFA:      policy.MFA{Required: true, RememberDays: 7},
		Signup:   policy.Signup{AllowedDomains: []email.Domain{"example.com"}},
	}
	if got := one.Stricter(other); !reflect.DeepEqual(got, want) {
		t.Errorf("Stricter() = %+v, want %+v", got, want)
	}
	// Who may register is said by the first alone, which is the instance.
	turned := other.Stricter(one)
	if turned.Signup = want.Signup; !reflect.DeepEqual(turned, want) {
		t.Error("Stricter() depends on the order")
	}
}

func TestSignup(t *testing.T) {
	t.Parallel()
	type list = []email.Domain
	for name, c := range map[string]struct {
		allowed, blocked list
		passes, refused  []string
	}{
		"nothing said": {nil, nil, []string{"ada@example.com", "ada@xn--bcher-kva.example"}, nil},
		"allowed": {
			list{"example.com", "xn--bcher-kva.example"},
			nil,
			[]string{"ada@example.com", "ADA@Example.COM", "ada@bücher.example", "ada@ｅxample.com"},
			[]string{"ada@other.com", "ada@sub.example.com", "ada@notexample.com", "ada@example.com.evil.com"},
		},
		"blocked":             {nil, list{"example.com"}, []string{"ada@other.com", "ada@sub.example.com"}, []string{"ada@EXAMPLE.com"}},
		"allowed and blocked": {list{"example.com", "other.com"}, list{"example.com"}, []string{"ada@other.com"}, []string{"ada@example.com"}},
	} {
		rules := policy.Signup{AllowedDomains: c.allowed, BlockedDomains: c.blocked}
		for _, text := range slices.Concat(c.passes, c.refused) {
			address, err := email.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := rules.Admit(address); errors.Is(err, policy.ErrDomain) != slices.Contains(c.refused, text) {
				t.Errorf("%s: Admit(%s) = %v", name, text, err)
			}
		}
	}
	// Whoever has no address is of no domain that is allowed.
	if err := (policy.Signup{AllowedDomains: list{"example.com"}}).Admit(email.Address{}); !errors.Is(err, policy.ErrDomain) {
		t.Errorf("no address: %v", err)
	}
}
