package billing

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/ports/outbound/commerce"
)

// CustomerListParams are the parameters of BILLING.CUSTOMER_LIST.
type CustomerListParams struct {
	Query      email.Address `json:"query,omitzero" doc:"Filter by the email address on invoices. Must match the whole address. Case-insensitive." example:"-"`
	Delinquent *bool         `json:"delinquent,omitzero" doc:"Filter by whether the customer has a past due subscription." example:"-"`
	page.Params
}

func (s *Service) customerList() command.Definition {
	return command.Define(command.Spec[CustomerListParams, page.Of[Customer]]{
		Name:    "BILLING.CUSTOMER_LIST",
		Summary: "List customers of the workspace, newest first.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p CustomerListParams) (page.Of[Customer], error) {
			org, err := orgOf(call.Caller)
			if err != nil {
				return page.Of[Customer]{}, err
			}
			list := s.Cursors.List("BILLING.CUSTOMER_LIST|"+org.String()+"|"+p.Query.Folded()+"|"+choice(p.Delinquent), p.Params)
			return page.Read(list, func(one billing.CustomerSnapshot) string { return one.ID.String() }, showCustomer,
				func(before string, most int) ([]billing.CustomerSnapshot, error) {
					return s.Customers.List(ctx, commerce.CustomersQuery{
						Seller: org, Email: p.Query, Delinquent: p.Delinquent, Before: billing.CustomerID(before), Limit: most,
					})
				})
		},
	})
}
