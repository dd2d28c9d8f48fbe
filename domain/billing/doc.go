// Package billing is the model of sales, common to all payment processors
// (spec/billing.md). The processor handles the payments; this model decides about access.
//
// # The aggregates
//
// A Price is the price of a product: once or recurring (monthly, yearly), flat, for each
// seat, by tiers of seats, or metered. Its amount is immutable, so that references to it
// keep their meaning. A Coupon is a discount by percentage or amount; it counts the
// checkouts that have reserved it, so that the last redemption goes to only one of several
// concurrent checkouts. Amounts are whole minor units of one currency (package money).
//
// A Checkout is a sale: the buyer, the seller, the price and the processor. All other
// objects of the sale refer to it: the Subscription, Invoices, Payments and Refunds. A
// Customer is a buyer at one seller, one processor and one mode; sellers share no customers,
// so that none can read or change the data of another's.
//
//	checkout      pending -> open -> completed | expired;  pending -> failed
//	subscription  incomplete, trialing, active, past_due, paused, canceled, ended (final)
//	invoice       open -> paid | void | uncollectible
//	payment       pending -> succeeded | failed;  disputed: open -> won | lost
//	refund        pending -> succeeded | failed
//
// # Facts
//
// A sale changes by Facts only: the complete state of an object at the processor, with the
// time of that state. Responses to calls, webhooks and fetched objects are all facts and
// processed alike. An object applies a fact that is newer than its state and ignores others,
// so facts may be repeated and arrive in any order. Access is not updated incrementally but
// derived from the objects after each fact (Judge).
//
// A call is stored as an Intent before it is made, and deleted together with its result. Any
// replica that finds an overdue one repeats the call with the same idempotency key.
package billing
