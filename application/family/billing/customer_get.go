package billing

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

var errOneCustomer = fault.Unfit("/customer_id", "cannot be combined with user_id or org_id")

// CustomerGetParams are the parameters of BILLING.CUSTOMER_GET.
type CustomerGetParams struct {
	CustomerID billing.CustomerID `json:"customer_id,omitzero" doc:"ID of the customer. Defaults to your newest customer record, or to the newest one of user_id or org_id."`
	UserID     user.ID            `json:"user_id,omitzero" doc:"ID of a user who bought from the workspace. Requires billing:read in that workspace." example:"-"`
	OrgID      workspace.ID       `json:"org_id,omitzero" doc:"ID of a workspace that bought something. Requires billing:read in that workspace." example:"-"`
}

// CustomerGetResult is the result of BILLING.CUSTOMER_GET.
type CustomerGetResult struct {
	Customer Customer    `json:"customer" doc:"The customer."`
	Balance  []AmountDue `json:"balance" doc:"Amounts due on open invoices, by currency. Empty if nothing is due."`
	Portal   bool        `json:"portal" doc:"Whether BILLING.PORTAL_CREATE can open a customer portal for this customer."`
}

// Customer is a customer in results.
type Customer struct {
	ID          billing.CustomerID   `json:"id" doc:"ID of the customer."`
	SellerOrgID workspace.ID         `json:"seller_org_id" doc:"ID of the workspace that sells to the customer."`
	UserID      user.ID              `json:"user_id,omitzero" doc:"ID of the user who buys. Absent if a workspace buys."`
	OrgID       workspace.ID         `json:"org_id,omitzero" doc:"ID of the workspace that buys. Absent if a user buys."`
	Name        string               `json:"name" doc:"Name on invoices."`
	Email       string               `json:"email" doc:"Email address on invoices."`
	Address     billing.Address      `json:"address,omitzero" doc:"Postal address on invoices. Absent if none is set."`
	TaxID       string               `json:"tax_id,omitzero" doc:"Tax ID on invoices. Absent if none is set."`
	Processor   billing.AnyProcessor `json:"processor" doc:"Payment processor that takes payments from the customer."`
	Mode        billing.Mode         `json:"mode" doc:"Whether payments are real (live) or test payments." jsonschema:"enum=test,enum=live"`
	CreatedAt   time.Time            `json:"created_at" doc:"When the customer was created, at the first checkout."`
}

func showCustomer(s billing.CustomerSnapshot) Customer {
	return Customer{
		ID: s.ID, SellerOrgID: s.OrgID, UserID: s.Buyer.UserID, OrgID: s.Buyer.OrgID, Name: s.Name, Email: s.Email, Address: s.Address, TaxID: s.TaxID,
		Processor: billing.AnyProcessor(s.Account.Processor), Mode: s.Account.Mode, CreatedAt: s.CreatedAt,
	}
}

// AmountDue is what is due in one currency.
type AmountDue struct {
	Amount   int64          `json:"amount" doc:"Amount in minor units."`
	Currency money.Currency `json:"currency" doc:"ISO 4217 currency code."`
}

func (s *Service) customerGet() command.Definition {
	return command.Define(command.Spec[CustomerGetParams, CustomerGetResult]{
		Name:    "BILLING.CUSTOMER_GET",
		Summary: "Retrieve a customer with the amounts due.",
		Description: "A customer is a buyer at one seller and one payment processor. The buyer is a user or a workspace.\n\n" +
			"You can retrieve your own customer record. With `billing:read`, you can also retrieve the record of your workspace, and the customers " +
			"your workspace sells to.",
		Access:      access.User(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p CustomerGetParams) (CustomerGetResult, error) {
			query, err := customerQuery(call.Caller, p)
			if err != nil {
				return CustomerGetResult{}, err
			}
			found, err := s.Customers.Find(ctx, query)
			if err == nil && !sees(call.Caller, billing.Sale{OrgID: found.OrgID, Buyer: found.Buyer}) {
				err = billing.ErrNoCustomer
			}
			if err != nil {
				return CustomerGetResult{}, err
			}
			owed, err := s.Customers.Owed(ctx, found.ID)
			_, closed := s.portal(found)
			result := CustomerGetResult{Customer: showCustomer(found), Balance: []AmountDue{}, Portal: closed == nil}
			for _, one := range owed {
				result.Balance = append(result.Balance, AmountDue{one.Minor, one.Currency})
			}
			return result, err
		},
	})
}

// customerQuery returns which customer a caller asks for.
func customerQuery(caller access.Caller, p CustomerGetParams) (commerce.CustomerQuery, error) {
	if p.CustomerID != "" {
		if p.UserID != "" || p.OrgID != "" {
			return commerce.CustomerQuery{}, errOneCustomer
		}
		return commerce.CustomerQuery{ID: p.CustomerID}, nil
	}
	of, err := within(caller, p.OrgID, p.UserID)
	if of.User != "" {
		return commerce.CustomerQuery{Seller: of.Seller, Buyer: billing.Buyer{UserID: of.User}}, err
	}
	return commerce.CustomerQuery{Buyer: of.Buyer}, err
}
