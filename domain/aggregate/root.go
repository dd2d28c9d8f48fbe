// Package aggregate implements what all aggregates share: a version for optimistic
// locking, and pending events that are stored together with the aggregate.
package aggregate

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

// ErrConflict is returned if an aggregate was changed since it was read. The unit of
// work then runs the closure again; a client sees the error only if that fails
// repeatedly.
var ErrConflict = fault.New(fault.Internal, "too much contention: try again")

// ErrBereft is returned if the owner of a new object no longer exists.
var ErrBereft = fault.New(fault.NotFound, "the parent object has been deleted")

// Root is embedded by aggregates. Version 0 is one that was never stored.
type Root struct {
	version int64
	pending []event.Data
	// state points to the tracked state, before is its value when it was read, and
	// failed the error if it cannot be encoded.
	state  any
	before []byte
	failed error
}

// At returns the root of an aggregate restored at a stored version.
func At(version int64) Root { return Root{version: version} }

// Version returns the stored version this copy was read at.
func (r *Root) Version() int64 { return r.version }

// Raise notes an event that is to be stored with the aggregate.
func (r *Root) Raise(data event.Data) { r.pending = append(r.pending, data) }

// Stored notes that the state is in the store, one version on, and returns the events
// to store in the same transaction.
func (r *Root) Stored() []event.Data {
	pending := r.pending
	r.version++
	r.pending = nil
	return pending
}

// Changed reports whether anything happened to this copy that is not stored yet.
func (r *Root) Changed() bool { return len(r.pending) > 0 }
