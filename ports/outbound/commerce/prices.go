package commerce

import (
	"context"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Prices stores prices, inside a unit of work.
type Prices interface {
	// ByID returns and locks a price. It fails with billing.ErrNoPrice.
	ByID(ctx context.Context, id billing.PriceID) (*billing.Price, error)
	// Count returns the number of prices of a product, inside a unit of work that holds
	// the product (licensing.Products.ByRef).
	Count(ctx context.Context, of product.ID) (int, error)
	Save(ctx context.Context, p *billing.Price) error
}

// PriceDirectory reads prices, outside any transaction.
type PriceDirectory interface {
	// Find returns a price. It fails with billing.ErrNoPrice.
	Find(ctx context.Context, id billing.PriceID) (billing.PriceSnapshot, error)
	// List returns the prices that match, newest first.
	List(ctx context.Context, query PriceQuery) ([]billing.PriceSnapshot, error)
}

// PriceQuery narrows a list of prices; zero values do not narrow.
type PriceQuery struct {
	Org     workspace.ID
	Product product.ID
	// Public selects prices of public products.
	Public bool
	Active *bool
	// Before is the last ID of the previous page.
	Before billing.PriceID
	Limit  int
}
