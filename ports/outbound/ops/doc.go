// Package ops defines the ports for operating the instance: settings, policies, limits,
// signing keys, flows, jobs, and the upkeep of the store.
package ops
