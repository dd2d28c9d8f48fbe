// Package billing is the model of what is sold and paid: one for all payment processors
// (spec/billing.md). The processor keeps the money; here stands the truth about access.
//
// # The aggregates
//
// A Price says what a product costs: once, a month or a year, whatever the quantity, for
// each seat, by tiers of seats or for each use. What it costs never changes, so that
// everything that refers to it means what it meant on the day. A Coupon takes a share or an
// amount off; it counts the checkouts that hold a place of it, so that the last one goes to
// one of a hundred. Amounts are whole minor units of one currency (package money).
//
// A Checkout is one sale: who buys what from whom, by which price, at which processor. All
// else of the sale names it: the Subscription, Invoices, Payments and Refunds. A Customer is
// a buyer as one seller knows them at one processor in one mode; sellers share none, so
// that nobody reads or changes what another one's customers told.
//
//	checkout      pending -> open -> completed | expired;  pending -> failed
//	subscription  incomplete, trialing, active, past_due, paused, canceled, ended (for good)
//	invoice       open -> paid | void | uncollectible
//	payment       pending -> succeeded | failed;  disputed: open -> won | lost
//	refund        pending -> succeeded | failed
//
// # Facts
//
// Nothing of a sale changes but by a Fact: what the processor says of one of its objects,
// whole, with the time of that state. It comes as the answer to a call, by a hook, or when
// the truth is fetched, and is taken alike. An object takes a fact that is newer than what it
// has, and ignores others, so that facts may come twice and in any order. What a sale gives
// is not carried along but judged from its objects after each of them (Judge).
//
// A call is an Intent first: a row that is stored with what it is about, and that is removed
// with what came of it. Whoever finds one whose time is up makes the call again, under the
// same key.
package billing
