package addresses

import (
	"net/netip"
	"time"

	"github.com/gaissmai/bart"

	"gatehouse.internal/domain/iprule"
)

// Set is the rules of one scope, compiled: a trie of those on no list, and one for each
// list. A set never changes.
type Set struct {
	scope trie
	lists map[iprule.List]*trie
	rules []iprule.Snapshot
	// until is when the next of the rules expires; unset: none does.
	until time.Time
}

// trie finds the narrowest rule that holds an address, by its place among the rules.
type trie struct {
	table bart.Table[int32]
	// only is set if there is an allow rule: then all other addresses are denied.
	only bool
}

// Compile makes a set of the rules that are live at a time.
func Compile(rules []iprule.Snapshot, now time.Time) *Set {
	s := &Set{lists: map[iprule.List]*trie{}, rules: rules}
	for i, rule := range rules {
		if !rule.Live(now) {
			continue
		}
		if end := rule.ExpiresAt; !end.IsZero() && (s.until.IsZero() || end.Before(s.until)) {
			s.until = end
		}
		into := s.trie(rule.List)
		if into == nil {
			into = &trie{}
			s.lists[rule.List] = into
		}
		into.table.Insert(rule.CIDR, int32(i))
		into.only = into.only || rule.Action == iprule.Allow
	}
	return s
}

// trie returns that of a list, "" for the rules on none; nil where nothing is on the list.
func (s *Set) trie(list iprule.List) *trie {
	if list == "" {
		return &s.scope
	}
	return s.lists[list]
}

// At returns the set as it is at a time no earlier than that of its making.
func (s *Set) At(now time.Time) *Set {
	if s.until.IsZero() || now.Before(s.until) {
		return s
	}
	return Compile(s.rules, now)
}

// Decide reports whether the rules on a list ("" for those on none) allow an address,
// and the rule that decides; nil if none contains it. A list without rules allows all.
func (s *Set) Decide(list iprule.List, address netip.Addr) (allowed bool, by *iprule.Snapshot) {
	in := s.trie(list)
	if in == nil {
		return true, nil
	}
	if by = s.narrowest(in, iprule.Plain(address)); by == nil {
		return !in.only, nil
	}
	return by.Action == iprule.Allow, by
}

// narrowest returns the rule for the narrowest range that covers an address; nil for none.
func (s *Set) narrowest(in *trie, address netip.Addr) *iprule.Snapshot {
	var by *iprule.Snapshot
	if place, found := in.table.Lookup(address); found {
		by = &s.rules[place]
	}
	inner, before, ok := iprule.Embedded(address)
	if !ok {
		return by
	}
	place, found := in.table.Lookup(inner)
	if found && (by == nil || before+s.rules[place].CIDR.Bits() > by.CIDR.Bits()) {
		by = &s.rules[place]
	}
	return by
}

// Contains reports whether an address is in a range on a list, whatever the action.
func (s *Set) Contains(list iprule.List, address netip.Addr) bool {
	in := s.lists[list]
	return in != nil && s.narrowest(in, iprule.Plain(address)) != nil
}
