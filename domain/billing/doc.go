// Package billing is the model of what is sold and paid: one for all payment processors
// (spec/billing.md). The processor keeps the money; here stands the truth about access.
//
// # The aggregates
//
// A Price says what a product costs: once, a month or a year, whatever the quantity, for
// each seat, by tiers of seats or for each use. What it costs never changes, so that
// everything that refers to it means what it meant on the day. A Coupon takes a share or an
// amount off; it counts the checkouts that hold a place of it, so that the last one goes to
// one of a hundred.
//
// Amounts are whole minor units of one currency (package money).
package billing
