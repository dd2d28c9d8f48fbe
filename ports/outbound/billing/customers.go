package billing

import (
	"context"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/workspace"
)

// CustomerDirectory reads customers, outside any transaction.
type CustomerDirectory interface {
	// Find reads the newest customer that matches. It fails with billing.ErrNoCustomer.
	Find(ctx context.Context, query CustomerQuery) (billing.CustomerSnapshot, error)
	// Owed sums up the open invoices of a customer, by currency.
	Owed(ctx context.Context, of billing.CustomerID) ([]money.Amount, error)
}

// CustomerQuery narrows to a customer; zero values do not narrow.
type CustomerQuery struct {
	ID     billing.CustomerID
	Seller workspace.ID
	Buyer  billing.Buyer
}
