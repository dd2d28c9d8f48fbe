// Package ops stores the configuration of the instance, its signing keys, flows and jobs, and
// purges, measures and checks the store itself.
package ops
