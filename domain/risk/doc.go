// Package risk scores how likely a login attempt is by somebody else than the owner of the
// account (spec/flows.md section 6).
//
// # Decision: named signals with published weights, derived from stored data
//
// Context: an attempt with the correct password may be an attacker's. The distinction must be
// explainable to the person and the administrator, equal on every replica, and must not slow
// down logins on an instance with 10,000,000 events.
//
// Choice: each signal is a rule about the attempt and the history of the account, with a
// weight set by the policy. The score is the sum of the weights of raised signals, at most
// 100; two thresholds of the policy separate low, medium and high risk. Nothing is learned
// and nothing is written for it. The history is that of the last 90 days:
//
//   - the last 50 logins, from the events session.created: address, client and time
//   - the known clients of the account, also used for new_device notices
//   - the events login.failed of the last hour, of the account and from the address
//   - the remembered device, if its token was sent
//   - the assessments that the person reported as not their own
//
// One statement reads all of it by indexes on exactly these rows. Without a history, signals
// about novelty are not raised: the first login of an account is not suspicious.
//
// After a person has reported an attempt as not their own, its address range no longer counts
// as usual, and for 30 days signals of logins from there weigh twice, for that account only.
//
// What would change our mind: weights that nobody can set by hand. Then they are learned from
// the verdicts of people.
package risk
