// Package e2e holds the packages that meet the specification over HTTP: they build the
// program, start it as its users do, and talk to it.
//
//	instance    runs the program, on PostgreSQL with two replicas and on SQLite, and calls it
//	browser     opens its pages in Chromium
//	interop     libraries of others, which the tests run
//
// The tests are grouped by what they are about: commands, oauth, pages, processes and
// replicas. A package takes three minutes at most on two idle cores.
package e2e
