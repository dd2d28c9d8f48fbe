// Package limit is the arithmetic of rate limits: a pure function of a clock, a
// rule and the state that a store keeps as opaque bytes.
//
// # Decision
//
// Context: limits hold across all replicas, so that the state is in the store and
// is read and written with every counted call. It has to be small, cheap to change
// and must stay valid when its rule changes.
//
// Choice: a state is a list of groups, each the time of its newest call in
// microseconds and how many calls it stands for, and knows nothing of the rule that
// wrote it. A group counts in full until its newest call has left the window, so
// that a state errs only towards refusing. A rule of up to 100 calls writes one
// group a call and is exact; a larger one writes one group per sixtieth of its
// window, so it may refuse up to a sixtieth of the window longer than needed and
// never admits more. A changed limit or window applies to the same list: nothing is
// converted. Gaps and counts are Rice-coded, which keeps the largest
// state under 460 bytes where varints need 550.
//
// What would change our mind: a store that must count inside itself (a Redis
// script), where plain bucket counters are simpler; or a limit above 100 that has
// to be exact.
package limit
