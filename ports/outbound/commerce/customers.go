package commerce

import (
	"context"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/workspace"
)

// CustomerDirectory reads customers, outside any transaction.
type CustomerDirectory interface {
	// Find returns the newest customer that matches. It fails with
	// billing.ErrNoCustomer.
	Find(ctx context.Context, query CustomerQuery) (billing.CustomerSnapshot, error)
	// List returns the customers that match, newest first.
	List(ctx context.Context, query CustomersQuery) ([]billing.CustomerSnapshot, error)
	// Owed returns the sums of the open invoices of a customer, by currency.
	Owed(ctx context.Context, of billing.CustomerID) ([]money.Amount, error)
}

// CustomersQuery narrows a list of the customers of a workspace; zero values do not narrow.
type CustomersQuery struct {
	Seller workspace.ID
	Email  email.Address
	// Delinquent selects customers with a subscription that is past due, or those
	// without.
	Delinquent *bool
	// Before is the last ID of the previous page.
	Before billing.CustomerID
	Limit  int
}

// CustomerQuery selects a customer; zero values do not narrow.
type CustomerQuery struct {
	ID     billing.CustomerID
	Seller workspace.ID
	Buyer  billing.Buyer
}
