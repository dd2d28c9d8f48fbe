// Package ops stores the configuration of the instance and its signing keys, and
// looks after the store itself.
package ops
