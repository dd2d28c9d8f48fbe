// Package iprule defines rules about network addresses.
//
// # Decision: one rule for one range, and the longest prefix decides
//
// Context: an administrator denies ranges, allows others, and maintains lists of ranges
// for flows. Two rules for one range would need an order, and orders of rules are
// error-prone.
//
// Choice: a scope (the instance or a workspace) has at most one rule for a range, and
// the narrowest range that contains an address decides. Other addresses are allowed,
// unless the scope has an allow rule: then only those are. Rules on a named list decide
// nothing by themselves: flows check whether an address is on the list. A range of
// IPv4-mapped addresses equals the range of the IPv4 addresses. A range of IPv4
// addresses also holds for the IPv6 addresses that embed them (NAT64, 6to4), unless a
// rule for a range of those addresses is at least as narrow.
//
// A rule that is disabled or expired is ignored. A change must not lock out its author,
// not even later when rules expire: this is checked for all rules of the scope, under a
// lock, before the change is stored.
//
// What would change our mind: rules that hold for some commands only. Those are flows.
package iprule
