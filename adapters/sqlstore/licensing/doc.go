// Package licensing stores products, licence policies, licences with their machines, seats and leases, and
// features.
package licensing
