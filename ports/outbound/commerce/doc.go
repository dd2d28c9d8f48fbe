// Package commerce defines the ports for sales: prices, coupons, checkouts,
// subscriptions, invoices, payments, and payment processors.
package commerce
