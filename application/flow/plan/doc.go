// Package plan compiles and runs flows: it defines the types of nodes, the context that
// they read, and the interpreter.
//
// [Compile] returns all errors of a graph, or a [Plan]. A plan is immutable.
// [Plan.Begin] returns the progress of a run; [Progress.Go] continues it until its end
// or the first node that needs unknown information. The same interpreter thus runs the
// part that needs no account before the account is read, the rest once the person is
// authenticated, FLOW.TEST over a made-up context, and FLOW.BACKTEST over a stored one.
// It reads [Facts], and has external effects through [Effects] only.
//
// # Decision: effects are requested, not executed
//
// Context: the sign-in pipeline decides inside a unit of work, whose closure may run
// twice and must not wait for external systems. Nodes such as webhook_check and
// rate_limit have external effects.
//
// Choice: a missing result of an effect stops the run with [outside.Request]. The caller ends
// the unit of work, executes the effect, and starts the unit again with the result
// cached. No effect is executed twice, since results are cached by flow and node.
//
// What would change our mind: sign-ins that decide outside of their units of work.
package plan
