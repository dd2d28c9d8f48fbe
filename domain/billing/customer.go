package billing

import (
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
)

// ErrNoCustomer is returned if the customer does not exist, or the caller may not see
// it.
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
	Address     Address
	// TaxID is the tax identification number.
	TaxID     string
	CreatedAt time.Time
}

// Address is where a customer is, as invoices show it.
type Address struct {
	Line1      string `json:"line1,omitzero" doc:"Street and number." jsonschema:"maxLength=200"`
	Line2      string `json:"line2,omitzero" doc:"Further details, such as a floor." jsonschema:"maxLength=200"`
	PostalCode string `json:"postal_code,omitzero" doc:"Postal code." jsonschema:"maxLength=20"`
	City       string `json:"city,omitzero" doc:"City." jsonschema:"maxLength=100"`
	State      string `json:"state,omitzero" doc:"State or province." jsonschema:"maxLength=100"`
	Country    string `json:"country,omitzero" doc:"Two-letter country code (ISO 3166-1 alpha-2)." jsonschema:"pattern=^[A-Z]{2}$,example=DE"`
}

// Lines returns the non-empty lines of the customer on an invoice.
func (s CustomerSnapshot) Lines() []string {
	a := s.Address
	all := []string{s.Name, a.Line1, a.Line2, strings.TrimSpace(a.PostalCode + " " + a.City), a.State, a.Country, s.Email, s.TaxID}
	return slices.DeleteFunc(all, func(line string) bool { return line == "" })
}

// Customer is a buyer at one seller, one processor and one mode.
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

// CustomerChange is a partial update of a customer; nil fields stay unchanged.
type CustomerChange struct {
	Name, Email *string
	Address     *Address
	TaxID       *string
}

// Update changes the data on invoices, and reports whether they differ.
func (c *Customer) Update(to CustomerChange) bool {
	var changed aggregate.Changes
	aggregate.Put(&changed, "name", &c.s.Name, to.Name)
	aggregate.Put(&changed, "email", &c.s.Email, to.Email)
	aggregate.Put(&changed, "address", &c.s.Address, to.Address)
	aggregate.Put(&changed, "tax_id", &c.s.TaxID, to.TaxID)
	if changed == nil {
		return false
	}
	c.Raise(CustomerUpdated{CustomerID: c.s.ID, OrgID: c.s.OrgID, UserID: c.s.Buyer.UserID, BuyerOrgID: c.s.Buyer.OrgID, Changed: changed})
	return true
}

// Visited records that the customer's portal is opened.
func (c *Customer) Visited() {
	c.Raise(PortalOpened{CustomerID: c.s.ID, OrgID: c.s.OrgID, UserID: c.s.Buyer.UserID, BuyerOrgID: c.s.Buyer.OrgID})
}

// Known records the processor's identifier of the customer, and reports whether it is
// new.
func (c *Customer) Known(id string) bool {
	if id == "" || c.s.ProcessorID == id {
		return false
	}
	c.s.ProcessorID = id
	return true
}
