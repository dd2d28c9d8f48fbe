package billing

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of customers.
const (
	KindCustomerUpdated event.Kind = "customer.updated"
	KindPortalOpened    event.Kind = "billing_portal.opened"
)

// CustomerUpdated is the content of customer.updated.
type CustomerUpdated struct {
	CustomerID CustomerID   `json:"customer_id" doc:"ID of the customer."`
	OrgID      workspace.ID `json:"org_id" doc:"ID of the workspace that sells to the customer."`
	UserID     user.ID      `json:"user_id,omitempty" doc:"ID of the user who buys. Absent if a workspace buys."`
	BuyerOrgID workspace.ID `json:"buyer_org_id,omitempty" doc:"ID of the workspace that buys. Absent if a user buys."`
	Changed    []string     `json:"changed" doc:"Names of the fields that changed."`
}

// PortalOpened is the content of billing_portal.opened.
type PortalOpened struct {
	CustomerID CustomerID   `json:"customer_id" doc:"ID of the customer."`
	OrgID      workspace.ID `json:"org_id" doc:"ID of the workspace that sells to the customer."`
	UserID     user.ID      `json:"user_id,omitempty" doc:"ID of the user who buys. Absent if a workspace buys."`
	BuyerOrgID workspace.ID `json:"buyer_org_id,omitempty" doc:"ID of the workspace that buys. Absent if a user buys."`
}

func (CustomerUpdated) Kind() event.Kind { return KindCustomerUpdated }
func (PortalOpened) Kind() event.Kind    { return KindPortalOpened }

// customerEvents describes the kinds of events of customers.
func customerEvents() []event.Definition {
	const (
		customer = CustomerID("cus_01jd7x9k2mf3q8v5t0abcdefgh")
		org      = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		person   = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	return []event.Definition{
		{Summary: "The billing details of a customer were updated.", Example: CustomerUpdated{customer, org, person, "", []string{"address", "tax_id"}}},
		{Summary: "The payment processor's portal was opened for a customer.", Example: PortalOpened{customer, org, person, ""}},
	}
}
