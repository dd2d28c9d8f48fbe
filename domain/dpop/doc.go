// Package dpop implements sender-constrained access (RFC 9449): registered keys, and
// the verification of the claims of proofs.
package dpop
