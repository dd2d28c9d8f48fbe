package throttle_test

import (
	"testing"

	"gatehouse.internal/application/engine/throttle"
	"gatehouse.internal/domain/limit"
)

// open is a blind index that everybody sees through.
type open struct{}

func (open) Index(label, value string) string { return label + "/" + value }

func TestCountersAreApart(t *testing.T) {
	t.Parallel()
	if got := throttle.Key(open{}, "AUTH.LOGIN", limit.IP, "192.0.2.1"); got != "rate_limit/AUTH.LOGIN|ip|192.0.2.1" {
		t.Errorf("key = %q", got)
	}
	seen := map[string]bool{}
	for _, name := range []string{"AUTH.LOGIN", "AUTH.SIGNUP", "*"} {
		for _, by := range []limit.Key{limit.IP, limit.Token, limit.Email, limit.User} {
			for _, subject := range []string{"a", "b", "a|b", ""} {
				seen[throttle.Key(open{}, name, by, subject)] = true
				for _, address := range []string{"192.0.2.1", "2001:db8::/64"} {
					seen[throttle.FailureKey(open{}, name, by, subject, address)] = true
				}
			}
		}
	}
	if want := 3 * 4 * 4 * 3; len(seen) != want {
		t.Errorf("%d counters, want %d", len(seen), want)
	}
}
