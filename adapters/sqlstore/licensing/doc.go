// Package licensing stores products, license policies, licenses with their machines, seats and leases, and
// features.
package licensing
