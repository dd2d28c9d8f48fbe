package policy_test

import (
	"testing"

	"gatehouse.internal/domain/policy"
)

func TestStricterTakesTheStricterOfEachValue(t *testing.T) {
	t.Parallel()
	one := policy.Set{
		Password: policy.Password{MinLength: 12, MinScore: 1},
		Session:  policy.Session{IdleMinutes: 30, AbsoluteMinutes: 600},
		Lockout:  policy.Lockout{MaxFailures: 5, WindowMinutes: 10, DurationMinutes: 60},
	}
	other := policy.Set{
		Password: policy.Password{MinLength: 8, MinScore: 3},
		Session:  policy.Session{IdleMinutes: 60, AbsoluteMinutes: 300},
		Lockout:  policy.Lockout{MaxFailures: 10, WindowMinutes: 20, DurationMinutes: 15},
	}
	want := policy.Set{
		Password: policy.Password{MinLength: 12, MinScore: 3},
		Session:  policy.Session{IdleMinutes: 30, AbsoluteMinutes: 300},
		Lockout:  policy.Lockout{MaxFailures: 5, WindowMinutes: 20, DurationMinutes: 60},
	}
	if got := one.Stricter(other); got != want {
		t.Errorf("Stricter() = %+v, want %+v", got, want)
	}
	if one.Stricter(other) != other.Stricter(one) {
		t.Error("Stricter() depends on the order")
	}
}
