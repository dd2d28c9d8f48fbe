// Package billing holds the ports about what is sold and paid: prices, coupons, and who may
// sell.
package billing
