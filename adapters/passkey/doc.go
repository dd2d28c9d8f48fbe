// Package passkey holds the ceremonies of Web Authentication Level 3 by
// go-webauthn, the only package that knows the library.
//
// # Decision
//
// Context: the library may enforce time limits, by the system's clock. It rejects
// extension results that were not asked for, which password managers send. It
// judges an assertion for a user and all credentials that were offered, so that
// one which was revoked meanwhile would spoil a login by another. And it judges it as
// a whole, by what was begun, which is read where the ceremony ends: a store that
// lets one writer in at a time would wait for the signature.
// Choice: a ceremony ends with its stored challenge, by the service's clock, and
// works once by it. Extension results are ignored, as section 7.2 allows. A login has
// no state: its challenge is what it is found by, the passkey that answers is read
// from the store, and whose it must be, and whether its person had to be verified, is
// kept with the challenge and judged when that is taken. Attestation is neither asked for nor
// judged by trust anchors; what comes is verified for its form and kept. Formats that hold
// others, or whose service has ended, are refused, and keys are bounded: somebody
// anonymous may send one whose verification takes a second.
// What would change our mind: an operator who admits certain models alone, which
// needs the FIDO metadata service.
package passkey
