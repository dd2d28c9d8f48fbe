// Package maildomain holds the e-mail domains that workspaces claim (spec/workspaces.md
// section 3).
//
// # The design
//
// A Domain is the claim of one workspace to one domain. Any number of workspaces may claim
// the same one; each gets a proof of its own, which only who runs the domain's DNS can
// publish, as a TXT record. A claim whose proof was seen there is verified, and of all
// claims to a domain one is at a time: the store sees to that by an index, so that of two
// replicas which verify at once one fails with ErrHeld. A claim that is not verified is
// worth nothing, and keeps nobody from another one.
//
// Verified claims are looked at daily. A lookup that is answered without the proof is a
// miss: the owners hear of the first, and seven days of misses lose the verification. The
// claim stays with its proof, so that publishing that again is all it takes. A lookup that
// is not answered says nothing about the domain, and is made again within the hour: an
// instance without DNS loses no domain by that.
//
// Whoever has an address at a verified domain, bound to their account, joins the workspace
// if the claim says so, with its role. Nobody chose these people one by one, so the role
// must not let them take others in: Joinable is judged when the role is named, when it
// widens, when another takes its place, and whenever somebody joins.
//
// Public suffixes belong to nobody, and public mail providers to people who have nothing to
// do with each other: neither can be claimed.
package maildomain
