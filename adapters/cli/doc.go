// Package cli is the command line of the program: it starts and administers the
// service, and calls the commands of a running one over HTTP. The subcommands are
// implemented by the functions of Program.
//
// Exit codes: 0 success, 1 an error of the service or the subcommand, 2 wrong usage, 3
// the service could not be reached or its response was no envelope.
//
// # Decision: flags of exec are moved to the front
//
// Context: kong reads positional arguments in one run only, so a flag between two
// name=value words would end them. Choice: the flags of exec are moved before its
// words; the grammar stays declarative. What would change our mind: kong taking
// interspersed positionals.
package cli
