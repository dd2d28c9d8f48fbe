// Package flow holds flows: graphs that administrators write, which decide before the
// built-in handling of a trigger (contract section 8, spec/flows.md).
//
// # The aggregates on one page
//
// A [Flow] belongs to a workspace or to the instance, is found by its name there, and is of
// one [Trigger] for ever. What it does is its [Graph]: nodes and edges. A change of the graph
// is a new version; the last 100 are kept and any of them can be made current again, as a new
// version. Of the flows of a trigger and a scope one is enabled at most: enabling another
// disables it.
//
// A graph begins at its one start. A node leaves by an output that its type names; an edge
// carries that output to the next node, and one without a match carries "default". Where no
// edge goes on, the flow allows. It has no cycle, nothing that start does not reach, at most
// [MaxNodes] nodes and [MaxEdges] edges.
//
// What a graph comes to is an [Outcome]. It only adds to what holds anyway: it denies, or
// asks for a factor, for an action, for claims in the token and for a shorter session. It has
// no word for letting in somebody whom the built-in handling refuses.
//
// A [Run] says what a flow came to once, for whom and by which nodes. It is kept for a while.
//
// The types of nodes, the context that they read, and how a graph is compiled and run are
// application/flow/plan; when it runs is application/flow. This package knows neither
// expressions nor the store.
package flow
