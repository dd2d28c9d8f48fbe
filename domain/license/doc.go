// Package license is the model of software licenses: their terms and keys, and the machines,
// seats and metered uses that they count (spec/licenses.md sections 1 to 3).
//
// # The aggregates
//
// A Policy is a named set of Terms of a workspace, for one product or any. A License is
// issued from a policy, or without one, and has its own copy of the terms; Overrides are the
// names of terms set for it alone, which stay when the policy is applied to existing
// licenses. Its owner is a person or a workspace anywhere on the instance, or nobody.
//
// Everything else of a license is in rows of its own: keys (the digest of each, and until
// when a rotated one stays valid), machines, named seats, leases of floating seats, and the
// usage of meters by period. To take a place, a transaction locks the row of the license,
// counts the places in use by the database's clock, and inserts; nothing is counted without the
// lock, so that only one of many concurrent callers gets the last place. Nothing is deleted
// because of time: lapsed machines and leases are recognized by their expiry wherever they
// are read.
//
// A transfer is a row as well, so that the transfers of a year can be counted. A place
// vacated with a key is reserved for 30 days for the machine that had it: for another
// machine, taking the place is a transfer, so that keys cannot be passed around.
//
// # Files
//
// A File contains everything to validate a license offline; adapters sign it. It cannot be
// revoked, so it never outlives the license, and the machine keeps its place until it
// expires. After a transfer away from a machine, new files contain until when that machine's
// file may be valid.
//
// # States
//
// active, suspended and revoked are stored; expired is derived from ExpiresAt, which is set
// at issue or at the first activation, and the terms for the time after it.
//
//	            suspend            reinstate
//	active ---------------> suspended -----> active
//	active, suspended --- revoke ---> revoked (final)
//
// # Validation
//
// Judge validates a State: the license with its counts at one point in time, which the
// store reads in one statement by the digest of the key. It returns a Code, also for invalid
// keys. The order of the codes is that of the specification.
package license
