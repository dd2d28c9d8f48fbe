package limit_test

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/limit"
)

func TestValidateNamesEveryFieldOutOfBounds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		rule  limit.Rule
		paths []string
	}{
		"smallest":        {limit.Rule{Limit: 1, Window: time.Second}, nil},
		"largest":         {limit.Rule{Limit: 1_000_000_000, Window: 86400 * time.Second}, nil},
		"zero":            {limit.Rule{}, []string{"/limit", "/window"}},
		"negative":        {limit.Rule{Limit: -1, Window: time.Minute}, []string{"/limit"}},
		"limit too large": {limit.Rule{Limit: 1_000_000_001, Window: time.Minute}, []string{"/limit"}},
		"window too long": {limit.Rule{Limit: 1, Window: 24*time.Hour + 1}, []string{"/window"}},
		"window short":    {limit.Rule{Limit: 1, Window: time.Second - 1}, []string{"/window"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tt.rule.Validate()
			if tt.paths == nil {
				if err != nil {
					t.Fatalf("Validate() = %v, want nil", err)
				}
				return
			}
			found, ok := errors.AsType[*fault.Error](err)
			if !ok || found.Code != fault.Validation || len(found.Fields) != len(tt.paths) {
				t.Fatalf("Validate() = %+v, want a validation fault about %v", err, tt.paths)
			}
			for i, path := range tt.paths {
				if found.Fields[i].Path != path {
					t.Errorf("field %d is %q, want %q", i, found.Fields[i].Path, path)
				}
			}
		})
	}
}

func TestRuleOutOfBoundsIsHeldAtTheBounds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ rule, same limit.Rule }{
		"zero": {limit.Rule{}, limit.Rule{Limit: 1, Window: time.Second}},
		"huge": {
			limit.Rule{Limit: 1 << 40, Window: 1000 * time.Hour},
			limit.Rule{Limit: 1_000_000_000, Window: 24 * time.Hour},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := at(0)
			state, got := tt.rule.Admit(nil, now)
			_, want := tt.same.Admit(nil, now)
			if got != want {
				t.Errorf("Admit = %+v, want %+v", got, want)
			}
			if got, want := tt.rule.Peek(state, now), tt.same.Peek(state, now); got != want {
				t.Errorf("Peek = %+v, want %+v", got, want)
			}
			if got, want := tt.rule.Expires(state), now.Add(tt.same.Window); !got.Equal(want) {
				t.Errorf("Expires = %v, want %v", got, want)
			}
			if got, want := tt.rule.Expiry(now), now.Add(tt.same.Window); !got.Equal(want) {
				t.Errorf("Expiry = %v, want %v", got, want)
			}
		})
	}
}

func TestSpecHelpers(t *testing.T) {
	t.Parallel()
	if got, want := limit.PerMinute(limit.IP, 10), (limit.Spec{By: "ip", Rule: limit.Rule{Limit: 10, Window: time.Minute}}); got != want {
		t.Errorf("PerMinute = %+v, want %+v", got, want)
	}
	if got, want := limit.PerHour(limit.Email, 3), (limit.Spec{By: "email", Rule: limit.Rule{Limit: 3, Window: time.Hour}}); got != want {
		t.Errorf("PerHour = %+v, want %+v", got, want)
	}
}

func TestSubject(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ip   netip.Addr
		want string
	}{
		"IPv4":            {netip.MustParseAddr("203.0.113.7"), "203.0.113.7"},
		"mapped IPv4":     {netip.MustParseAddr("::ffff:203.0.113.7"), "203.0.113.7"},
		"IPv6":            {netip.MustParseAddr("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64"},
		"same /64":        {netip.MustParseAddr("2001:db8:1:2:ffff::1"), "2001:db8:1:2::/64"},
		"next /64":        {netip.MustParseAddr("2001:db8:1:3::1"), "2001:db8:1:3::/64"},
		"IPv6 with zone":  {netip.MustParseAddr("fe80::1%eth0"), "fe80::/64"},
		"loopback":        {netip.MustParseAddr("::1"), "::/64"},
		"unknown address": {netip.Addr{}, "unknown"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := limit.Subject(tt.ip); got != tt.want {
				t.Errorf("Subject(%v) = %q, want %q", tt.ip, got, tt.want)
			}
		})
	}
}

// During a spike, limits by address admit half, and never nothing; others stay.
func TestSpiked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		by        limit.Key
		most, now int
	}{{limit.IP, 10, 5}, {limit.IP, 3, 1}, {limit.IP, 1, 1}, {limit.Email, 10, 10}, {limit.Token, 10, 10}, {limit.User, 10, 10}} {
		spec := limit.PerMinute(c.by, c.most)
		if got := spec.Spiked(); got != limit.PerMinute(c.by, c.now) || spec.Rule.Limit != c.most {
			t.Errorf("%d by %s become %+v", c.most, c.by, got)
		}
	}
}
