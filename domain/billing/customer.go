package billing

import (
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// ErrNoCustomer says that there is no such customer, for whoever asks.
var ErrNoCustomer = fault.New(fault.NotFound, "no such customer")

// CustomerSnapshot is the stored state of a customer.
type CustomerSnapshot struct {
	ID CustomerID
	// OrgID is the workspace that sells to them.
	OrgID   workspace.ID
	Account Account
	Buyer   Buyer
	// ProcessorID is the processor's; empty until they bought something.
	ProcessorID string
	Name, Email string
	CreatedAt   time.Time
}

// Customer is a buyer as one seller knows them at one processor in one mode.
type Customer struct {
	root
	s CustomerSnapshot
}

// Meet makes a customer.
func Meet(s CustomerSnapshot, now time.Time) *Customer {
	s.CreatedAt = now
	return &Customer{s: s}
}

// RestoreCustomer returns the customer that was stored.
func RestoreCustomer(s CustomerSnapshot, version int64) *Customer {
	return &Customer{root: at(version), s: s}
}

// Snapshot returns the state to store.
func (c *Customer) Snapshot() CustomerSnapshot { return c.s }

// Known notes by what the processor knows the customer, and reports whether that is news.
func (c *Customer) Known(id string) bool {
	if id == "" || c.s.ProcessorID == id {
		return false
	}
	c.s.ProcessorID = id
	return true
}
