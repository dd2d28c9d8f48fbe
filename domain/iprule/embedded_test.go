package iprule_test

import (
	"net/netip"
	"testing"
	"time"

	"gatehouse.internal/domain/iprule"
)

func TestRangesCoverAddressesThatEmbedTheirs(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		cidr, address string
		bits          int
	}{
		{"192.0.2.0/24", "192.0.2.7", 24},
		{"192.0.2.0/24", "64:ff9b::c000:207", 120},
		{"192.0.2.0/24", "64:ff9b:1::c000:207", 120},
		{"192.0.2.0/24", "64:ff9b:1:7::c000:207", 120},
		{"192.0.2.0/24", "2002:c000:207::1", 40},
		{"192.0.2.0/24", "2002:c000:207:1:2:3:4:5", 40},
		{"0.0.0.0/0", "2002:c000:207::1", 16},
		{"2002::/16", "2002:c000:207::1", 16},
		{"64:ff9b::/96", "64:ff9b::c000:207", 96},
		{"192.0.2.0/24", "192.0.3.7", -1},
		{"192.0.2.0/24", "64:ff9b::c000:307", -1},
		{"192.0.2.0/24", "64:ff9b:2::c000:207", -1},
		{"192.0.2.0/24", "64:ff9b::1:c000:207", -1},
		{"192.0.2.0/24", "2003:c000:207::1", -1},
		{"192.0.2.0/24", "2001:db8::c000:207", -1},
		{"64:ff9b::/96", "192.0.2.7", -1},
		{"2002::/16", "192.0.2.7", -1},
	} {
		bits, ok := iprule.Covers(netip.MustParsePrefix(one.cidr), netip.MustParseAddr(one.address))
		if ok != (one.bits >= 0) || ok && bits != one.bits {
			t.Errorf("%s covers %s: %v, %d bits, want %d", one.cidr, one.address, ok, bits, one.bits)
		}
	}
}

// Nobody locks themselves out by a rule for the IPv4 address that theirs embeds.
func TestLocksOutEmbedded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 28, 10, 0, 0, 0, time.UTC)
	rule := func(cidr string, action iprule.Action) iprule.Snapshot {
		return iprule.Snapshot{CIDR: netip.MustParsePrefix(cidr), Action: action, Enabled: true}
	}
	deny := rule("192.0.2.0/24", iprule.Deny)
	for name, want := range map[string]struct {
		rules []iprule.Snapshot
		locks bool
	}{
		"denied":                  {[]iprule.Snapshot{deny}, true},
		"let in by a narrower":    {[]iprule.Snapshot{deny, rule("192.0.2.7/32", iprule.Allow)}, false},
		"let in by its own range": {[]iprule.Snapshot{deny, rule("2002:c000:207::/48", iprule.Allow)}, false},
		"let in by a wider":       {[]iprule.Snapshot{deny, rule("2002::/16", iprule.Allow)}, true},
		"another's denial":        {[]iprule.Snapshot{rule("198.51.100.0/24", iprule.Deny)}, false},
	} {
		if got := iprule.LocksOut(nil, want.rules, netip.MustParseAddr("2002:c000:207::1"), now); got != want.locks {
			t.Errorf("%s: locked out is %v", name, got)
		}
	}
}
