// Package aggregate holds what every aggregate has: the version that a stale
// copy is told by, and the events that are saved with it.
package aggregate

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

// ErrConflict says that an aggregate was changed by somebody else since it was
// read. The unit of work runs the closure again; a client never sees it, unless
// it goes on for too long.
var ErrConflict = fault.New(fault.Internal, "too much contention, try again")

// ErrBereft says that what something was to be added to is gone.
var ErrBereft = fault.New(fault.NotFound, "what this belongs to was deleted meanwhile")

// Root is embedded by aggregates. Version 0 is one that was never stored.
type Root struct {
	version int64
	pending []event.Data
	// state points to what is tracked, before is what it was when it was read, and failed why
	// that cannot be shown.
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
