package billing

import (
	"context"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
)

// Mirrors keeps what processors call our prices and coupons.
type Mirrors interface {
	// Remotes returns what the processor calls something of ours, and then what it called it
	// before: who began to buy before it was renamed buys by the name before.
	Remotes(ctx context.Context, at billing.Account, own string) ([]string, error)
	// Price returns the newest price of a product that a processor knows by an identifier, now
	// or before; "" for none.
	Price(ctx context.Context, at billing.Account, remote string, of product.ID) (billing.PriceID, error)
	// Keep stores by what a processor knows something of ours from now on.
	Keep(ctx context.Context, at billing.Account, own, remote string) error
}
