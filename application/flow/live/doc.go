// Package live has the flows decide that are enabled (spec/flows.md section 1). There are two
// places: [Flows.Begin], which a policy of the engine calls before a command whose declaration
// names a trigger, takes the flow of the instance as far as it needs no account; [Decide], a
// step of the pipeline behind a proof, takes that and the flow of the workspace to their ends.
// What they ask for is a [Verdict], which the pipeline carries out. Where no session begins it is
// called [DecideAlone], which needs no unit of work: for one that goes on, for a machine, and for a
// password that was forgotten. test/arch knows who calls which.
//
// # Decision: the call carries its flows
//
// Context: a command reaches the step through units of work that may run twice, through
// services that know nothing of flows, and on several ways at once. A flow counts and asks
// other servers, which must happen once, and never inside of a unit of work. While a call is
// decided, somebody may enable another version.
//
// Choice: Begin puts an attempt into the context of the call. It keeps which versions decide,
// how far they have come, and what was counted and answered, so that a step that runs again
// finds it there. What is not there yet ends the unit of work by [plan.Wanted]; [Unit] does it
// and begins the unit anew. Where the configuration says that no flow was ever enabled, there
// is no attempt, and Decide costs a look at the context.
//
// What would change our mind: decisions that belong to no call, such as those of jobs.
package live
