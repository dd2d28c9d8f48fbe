// Package dpop is the model of sender-constrained access: keys that callers
// registered, and what a proof of possession must say (RFC 9449).
package dpop
