// Package cli is the program's command line: it starts the service, administers
// it, and calls the commands of a running one over HTTP. What a subcommand does
// comes in as functions; this package reads arguments and prints.
//
// Exit codes: 0 success, 1 the service or the subcommand said no, 2 wrong usage,
// 3 the service could not be reached or did not answer as one.
//
// # Decision
//
// Context: kong reads positional arguments only in one run, so that a flag
// between two name=value words would end them. Choice: for exec, flags are moved
// to the front before kong reads; its grammar stays declarative. What would
// change our mind: kong taking interspersed positionals.
package cli
