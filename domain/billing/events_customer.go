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
	CustomerID CustomerID   `json:"customer_id" doc:"The customer."`
	OrgID      workspace.ID `json:"org_id" doc:"The workspace that sells to them."`
	UserID     user.ID      `json:"user_id,omitempty" doc:"The person; absent for a workspace."`
	BuyerOrgID workspace.ID `json:"buyer_org_id,omitempty" doc:"The workspace that buys; absent for a person."`
	Changed    []string     `json:"changed" doc:"Names of the fields that changed."`
}

// PortalOpened is the content of billing_portal.opened.
type PortalOpened struct {
	CustomerID CustomerID   `json:"customer_id" doc:"The customer."`
	OrgID      workspace.ID `json:"org_id" doc:"The workspace that sells to them."`
	UserID     user.ID      `json:"user_id,omitempty" doc:"The person; absent for a workspace."`
	BuyerOrgID workspace.ID `json:"buyer_org_id,omitempty" doc:"The workspace that buys; absent for a person."`
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
		{Summary: "What invoices show of a customer changed.", Example: CustomerUpdated{customer, org, person, "", []string{"address", "tax_id"}}},
		{Summary: "Somebody opened the processor's portal of a customer.", Example: PortalOpened{customer, org, person, ""}},
	}
}
