// Package live runs the enabled flows (spec/flows.md section 1). There are two entry
// points: [Flows.Begin], called by a policy of the engine before a command with a
// trigger, runs the flow of the instance as far as it needs no account; [Decide], a
// step of the sign-in pipeline after authentication, completes that flow and runs the
// flow of the workspace. Their requirements are a [Verdict], which the pipeline
// enforces. Without a new session [DecideAlone] is called, which needs no unit of work:
// for continued sessions, for machines, and for password resets. test/arch checks the
// callers.
//
// # Decision: the context of the call contains its flows
//
// Context: a command reaches the step through units of work that may run twice, through
// services that do not know flows, and on several paths. A flow counts and calls other
// servers, which must happen once, and never inside a unit of work. While a call is
// decided, another version may be enabled.
//
// Choice: Begin adds an attempt to the context of the call. It stores which versions
// decide, their progress, and the results of counting and calling, so that a step that
// runs again finds them. A missing result ends the unit of work by [outside.Request];
// [Unit] obtains it and starts the unit again. If no flow was ever enabled, there is no
// attempt, and Decide costs one lookup in the context.
//
// What would change our mind: decisions that belong to no call, such as those of jobs.
package live
