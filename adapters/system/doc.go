// Package system is the clock, the source of identifiers and the source of
// randomness of a running process. Every other package gets them through a
// port, so that a test can put its own in their place.
package system
