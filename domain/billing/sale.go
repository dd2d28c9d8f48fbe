package billing

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Buyer is a person or a workspace.
type Buyer struct {
	UserID user.ID
	OrgID  workspace.ID
}

// Sale are the common fields of all objects of a sale.
type Sale struct {
	CheckoutID CheckoutID
	// OrgID is the workspace that sells.
	OrgID      workspace.ID
	ProductID  product.ID
	CustomerID CustomerID
	Buyer      Buyer
	Account    Account
}

// Remote is the identity of an object at the processor.
type Remote struct {
	// ID is the processor's own; empty until it is known.
	ID string
	// At is the time of the state that was taken last.
	At time.Time
}

// take moves on to a state of a time, unless a later one was taken. Of two states of one
// time the later in rank stays.
func (r *Remote) take(id string, at time.Time, rank, had int) bool {
	if at.Before(r.At) || (at.Equal(r.At) && rank <= had) {
		return false
	}
	r.ID, r.At = id, at
	return true
}

// is reports whether an object can have an identifier at the processor: its own, or any
// if it has none yet.
func (r Remote) is(id string) bool { return r.ID == "" || r.ID == id }

// root is embedded by the aggregates of a sale.
type root = aggregate.Root

func at(version int64) root { return aggregate.At(version) }
