package iprule_test

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/iprule"
)

func noon() time.Time { return time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC) }

// rules are written as +CIDR and -CIDR for allowed and denied ranges.
func rules(written ...string) []iprule.Snapshot {
	var list []iprule.Snapshot
	for _, one := range written {
		action := iprule.Deny
		if one[0] == '+' {
			action = iprule.Allow
		}
		list = append(list, iprule.Snapshot{CIDR: netip.MustParsePrefix(one[1:]), Action: action, Enabled: true})
	}
	return list
}

// until makes the last of rules expire.
func until(list []iprule.Snapshot, end time.Time) []iprule.Snapshot {
	list[len(list)-1].ExpiresAt = end
	return list
}

func TestLocksOut(t *testing.T) {
	t.Parallel()
	type list = []iprule.Snapshot
	soon, later, past := noon().Add(time.Hour), noon().Add(2*time.Hour), noon()
	off := rules("-192.0.2.0/24")
	off[0].Enabled = false
	for name, c := range map[string]struct {
		before, after list
		want          bool
	}{
		"no rules":                                 {nil, nil, false},
		"denied":                                   {nil, rules("-192.0.2.0/24"), true},
		"denied by a rule that is off":             {nil, off, false},
		"denied by one that has expired":           {nil, until(rules("-192.0.2.0/24"), past), false},
		"another range denied":                     {nil, rules("-198.51.100.0/24"), false},
		"allowed by the narrower":                  {nil, rules("-192.0.0.0/16", "+192.0.2.0/24"), false},
		"denied by the narrower":                   {nil, rules("+192.0.0.0/16", "-192.0.2.7/32"), true},
		"only another range allowed":               {nil, rules("+198.51.100.0/24"), true},
		"its own range allowed too":                {nil, rules("+198.51.100.0/24", "+192.0.2.0/24"), false},
		"an allowed range of the other family":     {nil, rules("+2001:db8::/32"), true},
		"its allowance expires, others stay":       {nil, until(rules("+198.51.100.0/24", "+192.0.2.0/24"), soon), true},
		"its allowance expires, alone":             {nil, until(rules("+192.0.2.0/24"), soon), false},
		"its allowance expires, a denial stays":    {nil, until(rules("-192.0.0.0/16", "+192.0.2.0/24"), soon), true},
		"the denial expires sooner":                {nil, slices.Concat(until(rules("-192.0.0.0/16"), soon), until(rules("+192.0.2.0/24"), later)), false},
		"the denial expires with the allowance":    {nil, slices.Concat(until(rules("-192.0.0.0/16"), soon), until(rules("+192.0.2.0/24"), soon)), false},
		"locked out already":                       {rules("-192.0.2.0/24"), rules("-192.0.2.0/24", "-198.51.100.0/24"), false},
		"locked out later, now at once":            {until(rules("-192.0.0.0/16", "+192.0.2.0/24"), soon), rules("-192.0.0.0/16"), true},
		"locked out later, now sooner":             {until(rules("-192.0.0.0/16", "+192.0.2.0/24"), later), until(rules("-192.0.0.0/16", "+192.0.2.0/24"), soon), true},
		"locked out soon, now later":               {until(rules("-192.0.0.0/16", "+192.0.2.0/24"), soon), until(rules("-192.0.0.0/16", "+192.0.2.0/24"), later), false},
		"the only allowance falls for another":     {rules("+192.0.2.0/24"), rules("+198.51.100.0/24"), true},
		"the allowance is deleted, none else left": {rules("+192.0.2.0/24"), nil, false},
	} {
		for _, address := range []string{"192.0.2.7", "::ffff:192.0.2.7"} {
			if got := iprule.LocksOut(c.before, c.after, netip.MustParseAddr(address), noon()); got != c.want {
				t.Errorf("%s: LocksOut() of %s = %v, want %v", name, address, got, c.want)
			}
		}
	}
}

// Of a range of IPv4 addresses and one of those that embed them, equally narrow, the latter decides, in
// whatever order the rules are read.
func TestLocksOutWhereRangesAreAsNarrow(t *testing.T) {
	t.Parallel()
	address := netip.MustParseAddr("2002:c000:207::1")
	for want, list := range map[bool][]iprule.Snapshot{
		true:  rules("+192.0.2.0/24", "-2002:c000:200::/40"),
		false: rules("-192.0.2.0/24", "+2002:c000:200::/40"),
	} {
		turned := slices.Clone(list)
		slices.Reverse(turned)
		for _, one := range [][]iprule.Snapshot{list, turned} {
			if got := iprule.LocksOut(nil, one, address, noon()); got != want {
				t.Errorf("LocksOut() by %s of %s, then %s of %s = %v, want %v", one[0].Action, one[0].CIDR, one[1].Action, one[1].CIDR, got, want)
			}
		}
	}
}
