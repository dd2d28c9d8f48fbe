package billing

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/ports/outbound/commerce"
)

// CustomerUpdateParams are the parameters of BILLING.CUSTOMER_UPDATE.
type CustomerUpdateParams struct {
	CustomerID billing.CustomerID `json:"customer_id,omitzero" doc:"ID of the customer. Defaults to your newest customer record."`
	Name       *string            `json:"name,omitzero" doc:"Name on invoices." jsonschema:"maxLength=200"`
	Email      *email.Address     `json:"email,omitzero" doc:"Email address that invoices are sent to."`
	Address    *billing.Address   `json:"address,omitzero" doc:"Postal address on invoices. Replaces the whole current address."`
	TaxID      *string            `json:"tax_id,omitzero" doc:"Tax ID on invoices. Send an empty string to remove it." jsonschema:"maxLength=50"`
}

// CustomerResult is a customer after a change.
type CustomerResult struct {
	Customer Customer `json:"customer" doc:"The customer after the change."`
}

func (s *Service) customerUpdate() command.Definition {
	return command.Define(command.Spec[CustomerUpdateParams, CustomerResult]{
		Name:    "BILLING.CUSTOMER_UPDATE",
		Summary: "Update the billing details shown on invoices.",
		Description: "Changes the name, email address, postal address and tax ID. Fields you omit keep their current value.\n\n" +
			"You can update your own customer record. With `billing:write`, you can also update the record of your workspace, and the customers " +
			"your workspace sells to.",
		Access: access.User().Scoped(writing),
		Effect: command.Outside,
		Emits:  []event.Kind{billing.KindCustomerUpdated},
		Handle: func(ctx context.Context, call command.Call, p CustomerUpdateParams) (CustomerResult, error) {
			found, err := s.customer(ctx, call.Caller, p.CustomerID)
			if err != nil {
				return CustomerResult{}, err
			}
			intent, err := s.rename(ctx, found, p)
			if err == nil && intent.ID != "" {
				_, err = s.Payments.Carry(ctx, intent, s.pause(ctx))
			}
			if err != nil {
				return CustomerResult{}, err
			}
			found, err = s.Customers.Find(ctx, commerce.CustomerQuery{ID: found.ID})
			return CustomerResult{showCustomer(found)}, err
		},
	})
}

// customer returns one that a caller may change; without an identifier, the newest that they are.
func (s *Service) customer(ctx context.Context, caller access.Caller, id billing.CustomerID) (billing.CustomerSnapshot, error) {
	query := commerce.CustomerQuery{ID: id}
	if id == "" {
		query.Buyer.UserID = caller.User
	}
	found, err := s.Customers.Find(ctx, query)
	if err == nil && !changes(caller, billing.Sale{OrgID: found.OrgID, Buyer: found.Buyer}) {
		err = billing.ErrNoCustomer
	}
	return found, err
}

// rename stores the data that invoices show, and the intent to update the processor, which keeps
// it with the latest sale. There is no intent if the processor does not know the customer or
// stores no addresses; invoices of this service show the data in any case.
func (s *Service) rename(ctx context.Context, of billing.CustomerSnapshot, p CustomerUpdateParams) (i billing.Intent, err error) {
	sales, err := s.PendingSales.Sales(ctx, commerce.SaleRefreshQuery{Customer: of.ID, Limit: 1})
	if err != nil {
		return i, err
	}
	to, err := s.Payments.Of(of.Account)
	tell := err == nil && of.ProcessorID != "" && len(sales) > 0 && payment.Able(to, billing.CanAddress) == nil
	change := billing.CustomerChange{Name: p.Name, Address: p.Address, TaxID: p.TaxID}
	if p.Email != nil {
		text := p.Email.String()
		change.Email = &text
	}
	err = s.Paying.Do(ctx, func(tx payment.Repos) error {
		held, err := tx.Customers.ByID(ctx, of.ID)
		if err != nil || !held.Update(change) {
			return err
		}
		if err := tx.Customers.Save(ctx, held); err != nil || !tell {
			return err
		}
		i, err = s.Payments.Intend(ctx, tx, billing.Intent{
			Kind: billing.IntentCustomer, CheckoutID: sales[0].CheckoutID, Subject: of.ID.String(), Account: of.Account,
		})
		return err
	})
	return i, err
}
