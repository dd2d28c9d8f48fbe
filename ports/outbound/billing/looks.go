package billing

import (
	"context"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Looks finds the sales about which a processor is to be asked for the truth.
type Looks interface {
	// Claim takes sales whose time has come (Checkouts.Look), at most so many, for as long as
	// billing.LookAgain.
	Claim(ctx context.Context, most int, now time.Time) ([]billing.CheckoutID, error)
	// Sales lists those that a processor knows, newest first.
	Sales(ctx context.Context, query LookQuery) ([]billing.CheckoutSnapshot, error)
}

// LookQuery narrows a list of sales; zero values do not narrow.
type LookQuery struct {
	// Org is the workspace that sells.
	Org       workspace.ID
	Checkout  billing.CheckoutID
	Customer  billing.CustomerID
	Processor product.Processor
	// Before is the last id of the page before.
	Before billing.CheckoutID
	Limit  int
}
