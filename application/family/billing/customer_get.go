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
	ports "gatehouse.internal/ports/outbound/billing"
)

var errOneCustomer = fault.Unfit("/customer_id", "must be alone: it names one customer")

// CustomerGetParams are the parameters of BILLING.CUSTOMER_GET.
type CustomerGetParams struct {
	CustomerID billing.CustomerID `json:"customer_id,omitzero" doc:"The customer; absent: the newest that you are, or that user_id or org_id is."`
	UserID     user.ID            `json:"user_id,omitzero" doc:"A person who bought from the workspace, with billing:read there." example:"-"`
	OrgID      workspace.ID       `json:"org_id,omitzero" doc:"A workspace of yours that bought something, with billing:read there." example:"-"`
}

// CustomerGetResult is the result of BILLING.CUSTOMER_GET.
type CustomerGetResult struct {
	Customer Customer `json:"customer" doc:"The customer."`
	Balance  []Due    `json:"balance" doc:"What is due of open invoices, for each currency; empty: nothing."`
	Portal   bool     `json:"portal" doc:"Whether their processor has a portal, which BILLING.PORTAL_CREATE opens."`
}

// Customer is a customer in results.
type Customer struct {
	ID          billing.CustomerID   `json:"id" doc:"Identifier of the customer."`
	SellerOrgID workspace.ID         `json:"seller_org_id" doc:"The workspace that sells to them."`
	UserID      user.ID              `json:"user_id,omitzero" doc:"The person; absent for a workspace."`
	OrgID       workspace.ID         `json:"org_id,omitzero" doc:"The workspace that buys; absent for a person."`
	Name        string               `json:"name" doc:"Their name on invoices."`
	Email       string               `json:"email" doc:"Their address on invoices."`
	Address     billing.Address      `json:"address,omitzero" doc:"Their postal address on invoices; absent for none."`
	TaxID       string               `json:"tax_id,omitzero" doc:"The number that the tax office knows them by; absent for none."`
	Processor   billing.AnyProcessor `json:"processor" doc:"Who takes their payments."`
	Mode        billing.Mode         `json:"mode" doc:"Whether that is real money." jsonschema:"enum=test,enum=live"`
	CreatedAt   time.Time            `json:"created_at" doc:"When they first were about to buy."`
}

func showCustomer(s billing.CustomerSnapshot) Customer {
	return Customer{
		ID: s.ID, SellerOrgID: s.OrgID, UserID: s.Buyer.UserID, OrgID: s.Buyer.OrgID, Name: s.Name, Email: s.Email, Address: s.Address, TaxID: s.TaxID,
		Processor: billing.AnyProcessor(s.Account.Processor), Mode: s.Account.Mode, CreatedAt: s.CreatedAt,
	}
}

// Due is what is due in one currency.
type Due struct {
	Amount   int64          `json:"amount" doc:"The amount in minor units."`
	Currency money.Currency `json:"currency" doc:"The currency, by ISO 4217."`
}

func (s *Service) customerGet() command.Definition {
	return command.Define(command.Spec[CustomerGetParams, CustomerGetResult]{
		Name:        "BILLING.CUSTOMER_GET",
		Summary:     "Billing identity of yourself, of a person who bought from the workspace, or of a workspace, with what is due.",
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
			result := CustomerGetResult{Customer: showCustomer(found), Balance: []Due{}, Portal: closed == nil}
			for _, one := range owed {
				result.Balance = append(result.Balance, Due{one.Minor, one.Currency})
			}
			return result, err
		},
	})
}

// customerQuery returns which customer a caller asks for.
func customerQuery(caller access.Caller, p CustomerGetParams) (ports.CustomerQuery, error) {
	if p.CustomerID != "" {
		if p.UserID != "" || p.OrgID != "" {
			return ports.CustomerQuery{}, errOneCustomer
		}
		return ports.CustomerQuery{ID: p.CustomerID}, nil
	}
	of, err := within(caller, p.OrgID, p.UserID)
	if of.User != "" {
		return ports.CustomerQuery{Seller: of.Seller, Buyer: billing.Buyer{UserID: of.User}}, err
	}
	return ports.CustomerQuery{Buyer: of.Buyer}, err
}
