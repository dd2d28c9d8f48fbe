// Package risk says how much an attempt to log in looks like that of somebody else
// (spec/flows.md section 6).
//
// # Decision: named signals with published weights, of what is stored anyway
//
// Context: an attempt by the right password may be that of a thief. What tells them apart
// must be explained to the person and to whoever sets the policy, decided alike on every
// replica, and must not slow down logins on an instance with 10,000,000 events.
//
// Choice: each signal is a rule over the situation and the history of the account, with a
// weight that the policy says. The score is the sum of the weights of those that are raised,
// 100 at most; two scores of the policy part low, medium and high. Nothing is learnt and
// nothing is written for it. The history is that of the last 90 days:
//
//   - the last 50 logins, of the events session.created: from where, with what and when
//   - the clients that the account knows, which new_device notices rest on
//   - the events login.failed of the last hour, of the account and from the address
//   - the remembered device, if its token was sent
//   - the assessments that the person said were not them
//
// One statement reads all of it by indexes that lead to these rows alone. A login without a
// history is not suspect for what is new about it: the first login of an account is as
// usual as any other.
//
// After "that was not me" nothing counts as usual any more that came from that range, and
// for 30 days what a login from there raises weighs twice, for that account alone.
//
// What would change our mind: weights that nobody can set by hand. Then they are learnt from
// the verdicts that people gave.
package risk
