// Package licence is the model of software licences: the terms they are issued from, the
// keys that prove them, and the machines, seats and uses that they count
// (spec/licences.md sections 1 to 3).
//
// # The aggregates
//
// A Policy is a set of Terms with a name, of one workspace, for one product or any. A
// Licence is issued from a policy, or from none, and keeps its own copy of the terms; the
// names in Overrides say which of them were set for it alone, and stay when the policy
// changes for licences that exist. It belongs to nobody, a person or a workspace anywhere
// on the instance.
//
// What hangs on a licence is rows of their own, so that a hundred callers who take the
// last of something meet at one: keys (the digest of each, and until when one that was
// rotated away still works), machines, named seats, leases of floating seats, and how
// much of a meter was used in which period. Whoever takes a place locks the row of the
// licence, counts what is there by the store's clock, and inserts; nobody counts without
// the lock, and nothing is deleted because time passed: a lapsed machine or lease is one
// whose time is over, wherever it is looked at.
//
// A transfer is a row of its own too, so that those of a year are counted where one is
// made. A place that was freed by key is remembered for 30 days by the machine that had it:
// a machine that was never there takes it as a transfer, lest keys be handed round.
//
// # Files
//
// A File says what is needed to judge a licence without network; adapters sign it. Nothing
// revokes one, so it never outlives the licence, and the machine keeps its place until it
// ends. Where a licence was moved away from a machine, the files that follow say until when
// that one's may hold.
//
// # States
//
// active, suspended and revoked are stored, expired is judged: by ExpiresAt, which is set
// at issue or at the first activation, and what the terms say of the time after it.
//
//	            suspend            reinstate
//	active ---------------> suspended -----> active
//	active, suspended --- revoke ---> revoked, for good
//
// # Validation
//
// Judge decides over one Standing: the licence with the counts of one moment, which the
// store reads in one statement by the digest of the key. It never fails for a key that is
// wrong; it returns a Code. The order of the codes is that of the specification.
package licence
