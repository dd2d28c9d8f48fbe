// Package maildomain is the model of email domains claimed by workspaces (spec/workspaces.md
// section 3).
//
// # The design
//
// A Domain is the claim of a workspace to a domain. Any number of workspaces may claim the
// same one; each gets a different proof, which only the operator of the domain's DNS can
// publish, as a TXT record. A claim is verified once its proof was found there, and at most
// one claim to a domain is verified at a time: a unique index ensures that if two replicas
// verify concurrently, one fails with ErrHeld. An unverified claim has no effect, and does
// not prevent others.
//
// Verified claims are checked daily. A response without the proof is a miss: the owners are
// notified of the first, and after seven days of misses the verification is lost. The claim
// keeps its proof, so publishing it again suffices. A failed lookup is no miss, and is
// repeated within the hour, so that an instance without DNS loses no domain.
//
// People with an address at a verified domain, bound to their account, join the workspace
// with the role of the claim, if the claim enables that. Nobody selected these people
// individually, so the role must not allow inviting others: Joinable is checked when the role
// is set, extended or replaced, and whenever somebody joins.
//
// Public suffixes and public mail providers cannot be claimed.
package maildomain
