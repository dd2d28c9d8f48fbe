// Package iprule holds rules about network addresses: who may call from where.
//
// # Decision: one rule for one range, and the longest prefix decides
//
// Context: an administrator denies ranges, lets some in, and keeps lists of ranges that
// flows ask about. Two rules about one range would have to be put in order; an order of
// rules is what people get wrong.
//
// Choice: a scope, the instance or a workspace, has at most one rule for a range, and of
// those that hold an address the narrowest decides. An address that none holds is let in,
// unless the scope has a rule that lets some in: then it means only these. Rules on a named
// list decide nothing by themselves: flows ask whether an address is on the list. A range
// of mapped IPv4 addresses is the range of the IPv4 addresses.
//
// A rule that is switched off or has expired is as if it were not there. No change may lock
// out who makes it, also not at a later time when some rules have expired: that is decided
// on all rules of the scope, under a lock, before the change is stored.
//
// What would change our mind: rules that hold for some commands only. Those are flows.
package iprule
