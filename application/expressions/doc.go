// Package expressions compiles the expressions of workspaces for flows, custom claims,
// features and relation conditions, and caches them.
//
// # Decision: compile by turns, outside of locks and transactions
//
// Context: anybody may create a workspace with expressions. Compiling one costs up to some
// milliseconds, a hundred times more than evaluating it. A lock that is held meanwhile, or a
// transaction, lets one workspace keep others waiting; a cache that evicts the least recently
// used entry evicts those of others as soon as one workspace has too many.
//
// Choice: an expression is compiled once for all who need it at the same time. Each workspace
// compiles one expression at a time, and waits for no other one where sign-ins and tokens need
// it ([Compiler.Compile]). What is compiled to be saved or tried ([Compiler.Prepare]) is
// apart from that: workspaces take turns on one core. When the cache is full, the workspace with the
// most in it loses what it used longest ago. [outside.Run] leaves the transaction around a
// command.
//
// What would change our mind: expressions that compile in microseconds.
package expressions
