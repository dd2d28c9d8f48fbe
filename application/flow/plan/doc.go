// Package plan is what flows are made of: the types of nodes, the context that they read, how
// a graph is judged and compiled, and how it is run.
//
// [Compile] finds everything that is wrong with a graph at once, or returns a [Plan]. A plan
// never changes. [Plan.Begin] returns the progress of a run; [Progress.Go] takes it on, until
// its end or until the first node that needs what is not known yet. So the same interpreter
// runs what needs no account before the account is looked at, the rest once the person is
// proved, FLOW.TEST over a context that somebody wrote, and FLOW.BACKTEST over one that was
// stored. It reads its [Facts] and reaches outside through [Effects] alone.
//
// # Decision: effects are asked for, not carried out
//
// Context: the sign-in pipeline decides inside a unit of work, whose closure may run twice and
// must not wait for anybody. Nodes such as webhook_check and rate_limit reach beyond it.
//
// Choice: an effect that is not known yet makes the run stop with [Wanted]. Who runs it ends
// the unit of work, gets what is wanted outside of it, and begins the unit anew with the answer
// remembered. No node counts or calls twice: the answer is kept by flow and node.
//
// What would change our mind: sign-ins that decide outside of their units of work.
package plan
