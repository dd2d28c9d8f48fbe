package iprule

import (
	"net/netip"
	"time"
)

// LocksOut reports whether a change of the rules that are on no list locks an address out,
// at once or when rules expire, sooner than the rules before it did.
func LocksOut(before, after []Snapshot, address netip.Addr, now time.Time) bool {
	sooner, locks := lockedAt(after, address, now)
	was, locked := lockedAt(before, address, now)
	return locks && (!locked || sooner.Before(was))
}

// lockedAt returns the first moment at which rules keep an address out, if there is any.
func lockedAt(rules []Snapshot, address netip.Addr, now time.Time) (time.Time, bool) {
	address = Plain(address)
	var about []Snapshot
	moments := []time.Time{now}
	for _, rule := range rules {
		if _, ok := Covers(rule.CIDR, address); ok && rule.Live(now) {
			about = append(about, rule)
			moments = append(moments, rule.ExpiresAt)
		}
	}
	var first time.Time
	found := false
	for _, moment := range moments {
		if moment.Before(now) || admits(about, rules, address, moment) {
			continue
		}
		if !found || moment.Before(first) {
			first, found = moment, true
		}
	}
	return first, found
}

// admits reports whether rules let an address in at a time; about are those that hold it.
func admits(about, rules []Snapshot, address netip.Addr, moment time.Time) bool {
	longest, action := -1, Allow
	for _, rule := range about {
		bits, _ := Covers(rule.CIDR, address)
		if rule.Live(moment) && (bits > longest || bits == longest && rule.CIDR.Contains(address)) {
			longest, action = bits, rule.Action
		}
	}
	if longest >= 0 {
		return action == Allow
	}
	for _, rule := range rules {
		if rule.Action == Allow && rule.Live(moment) {
			return false
		}
	}
	return true
}
