package commerce

import (
	"context"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// PendingSales finds the sales whose state must be fetched from the processor.
type PendingSales interface {
	// Claim returns at most so many due sales (Checkouts.Look), and claims them for
	// billing.LookAgain.
	Claim(ctx context.Context, most int, now time.Time) ([]billing.CheckoutID, error)
	// Sales returns the sales known to a processor, newest first.
	Sales(ctx context.Context, query SaleRefreshQuery) ([]billing.CheckoutSnapshot, error)
}

// SaleRefreshQuery narrows a list of sales; zero values do not narrow.
type SaleRefreshQuery struct {
	// Org is the selling workspace.
	Org       workspace.ID
	Checkout  billing.CheckoutID
	Customer  billing.CustomerID
	Processor product.Processor
	// Before is the last ID of the previous page.
	Before billing.CheckoutID
	Limit  int
}
