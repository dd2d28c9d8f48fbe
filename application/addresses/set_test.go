package addresses_test

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"gatehouse.internal/application/addresses"
	"gatehouse.internal/domain/iprule"
)

// rules are made rules of random ranges of both kinds of addresses.
func rules(n int, now time.Time) []iprule.Snapshot {
	random := rand.New(rand.NewPCG(1, 2))
	seen := map[netip.Prefix]bool{}
	var all []iprule.Snapshot
	for len(all) < n {
		var cidr netip.Prefix
		if random.IntN(2) == 0 {
			cidr = netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(random.UintN(4)), byte(random.UintN(256)), byte(random.UintN(256))}), 8+random.IntN(25)).Masked()
		} else {
			a := [16]byte{0x20, 1, 0xd, 0xb8, byte(random.UintN(8)), byte(random.UintN(256)), byte(random.UintN(256))}
			cidr = netip.PrefixFrom(netip.AddrFrom16(a), 32+random.IntN(30)).Masked()
		}
		if seen[cidr] {
			continue
		}
		seen[cidr] = true
		rule := iprule.Snapshot{CIDR: cidr, Action: iprule.Deny, Enabled: random.IntN(10) > 0}
		if random.IntN(2) == 0 {
			rule.Action = iprule.Allow
		}
		if random.IntN(4) == 0 {
			rule.ExpiresAt = now.Add(time.Duration(random.IntN(100)) * time.Minute)
		}
		all = append(all, rule)
	}
	return all
}

// slow decides by looking at each rule.
func slow(all []iprule.Snapshot, address netip.Addr, now time.Time) bool {
	longest, action, only := -1, iprule.Allow, false
	for _, rule := range all {
		if !rule.Live(now) {
			continue
		}
		only = only || rule.Action == iprule.Allow
		if bits, ok := iprule.Covers(rule.CIDR, address); ok && bits > longest {
			longest, action = bits, rule.Action
		}
	}
	return action == iprule.Allow && (longest >= 0 || !only)
}

func TestDecidesAsLookingAtEachRuleDoes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	all := rules(500, now)
	set := addresses.Compile(all, now)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 3000 {
		address := netip.AddrFrom4([4]byte{10, byte(random.UintN(5)), byte(random.UintN(256)), byte(random.UintN(256))})
		if i%2 == 0 {
			address = netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, byte(random.UintN(9)), byte(random.UintN(256)), byte(random.UintN(256))})
		}
		moment := now.Add(time.Duration(i/30) * time.Minute)
		set = set.At(moment)
		want := slow(all, address, moment)
		forms := []netip.Addr{address, netip.AddrFrom16(address.As16())}
		if address.Is4() {
			forms = append(forms, embedding(address)...)
		}
		for _, form := range forms {
			if got, _ := set.Decide("", form); got != want {
				t.Fatalf("%v at %v: %v, want %v", form, moment, got, want)
			}
		}
	}
}

// embedding returns the NAT64 and 6to4 forms of an IPv4 address.
func embedding(address netip.Addr) []netip.Addr {
	b := address.As4()
	return []netip.Addr{
		netip.AddrFrom16([16]byte{0x00, 0x64, 0xff, 0x9b, 12: b[0], b[1], b[2], b[3]}),
		netip.AddrFrom16([16]byte{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01, 12: b[0], b[1], b[2], b[3]}),
		netip.AddrFrom16([16]byte{0x20, 0x02, b[0], b[1], b[2], b[3], 15: 1}),
	}
}

// A rule for addresses that embed IPv4 ones decides about those alone, by its width.
func TestRulesForEmbeddingAddresses(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	set := addresses.Compile([]iprule.Snapshot{
		{CIDR: netip.MustParsePrefix("192.0.2.0/24"), Action: iprule.Deny, Enabled: true},
		{CIDR: netip.MustParsePrefix("2002::/16"), Action: iprule.Allow, Enabled: true},
		{CIDR: netip.MustParsePrefix("64:ff9b::c000:207/128"), Action: iprule.Allow, Enabled: true},
		{CIDR: netip.MustParsePrefix("0.0.0.0/0"), Action: iprule.Allow, Enabled: true},
	}, now)
	for address, want := range map[string]bool{
		"192.0.2.7": false, "64:ff9b::c000:207": true, "64:ff9b::c000:208": false, "2002:c000:207::1": false, "2002:c000:307::1": true, "198.51.100.1": true,
	} {
		if got, _ := set.Decide("", netip.MustParseAddr(address)); got != want {
			t.Errorf("%s is allowed: %v, want %v", address, got, want)
		}
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	set := addresses.Compile([]iprule.Snapshot{
		{CIDR: netip.MustParsePrefix("10.0.0.0/8"), Action: iprule.Allow, List: "offices", Enabled: true},
		{CIDR: netip.MustParsePrefix("10.1.0.0/16"), Action: iprule.Deny, List: "offices", Enabled: true},
		{CIDR: netip.MustParsePrefix("192.0.2.0/24"), Action: iprule.Allow, List: "offices"},
	}, now)
	for text, want := range map[string]bool{"10.0.0.1": true, "10.1.0.1": true, "::ffff:10.0.0.1": true, "64:ff9b::a00:1": true, "2002:a00:1::1": true, "192.0.2.1": false, "11.0.0.1": false} {
		if got := set.Contains("offices", netip.MustParseAddr(text)); got != want {
			t.Errorf("%s on the list: %v", text, got)
		}
	}
	if set.Contains("", netip.MustParseAddr("10.0.0.1")) || set.Contains("others", netip.MustParseAddr("10.0.0.1")) {
		t.Error("something is on a list that there is not")
	}
	if allowed, by := set.Decide("", netip.MustParseAddr("192.0.2.1")); !allowed || by != nil {
		t.Error("a list decides by itself")
	}
}

// 10,000 rules: a match is to cost less than 2 µs.
func BenchmarkDecide(b *testing.B) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	set := addresses.Compile(rules(iprule.MaxRules, now), now)
	asked := []netip.Addr{
		netip.MustParseAddr("10.2.3.4"), netip.MustParseAddr("192.0.2.1"),
		netip.MustParseAddr("2001:db8:3ff::1"), netip.MustParseAddr("::ffff:10.1.2.3"),
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		set.At(now).Decide("", asked[i%len(asked)])
	}
}
