// Package flow is the model of flows: graphs written by administrators that decide before
// the built-in handling of a trigger (contract section 8, spec/flows.md).
//
// # The aggregates
//
// A [Flow] belongs to a workspace or to the instance, has a unique name there, and a fixed
// [Trigger]. Its behavior is its [Graph]: nodes and edges. A change of the graph is a new
// version; the last 100 are kept, and any of them can be restored as a new version. For a
// trigger and a scope at most one flow is enabled: enabling another disables it.
//
// A graph begins at its start node. A node ends with one of the outputs of its type; the
// edge for that output leads to the next node, and an edge without an explicit output is for
// "default". If no edge matches, the flow allows. A graph has no cycle, no unreachable nodes,
// and at most [MaxNodes] nodes and [MaxEdges] edges.
//
// The result of a graph is an [Outcome]. It can only add restrictions: deny, or require a
// second factor, an action or a shorter session, and add claims to the token. It cannot admit
// anybody whom the built-in handling refuses.
//
// A [Run] is the stored result of one execution, with the person and the executed nodes. It
// is deleted after a while.
//
// The types of nodes, the context that they read, and the compiler and interpreter are in
// application/flow/plan; application/flow decides when flows run. This package depends on
// neither expressions nor the store.
package flow
