// Package ops holds the ports about running the instance: its settings, policies,
// limits and signing keys, and the upkeep of the store.
package ops
