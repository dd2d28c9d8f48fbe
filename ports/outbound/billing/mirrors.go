package billing

import (
	"context"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Mirrors keeps what processors call our prices and coupons.
type Mirrors interface {
	// Remotes returns what the processor calls something of ours, and then what it called it
	// before: who began to buy before it was renamed buys by the name before.
	Remotes(ctx context.Context, at billing.Account, own string) ([]string, error)
	// Recurring returns the price of a workspace, charged again and again, that a processor knows
	// by an identifier, now or before; zero for none. Of several it is one of the product that is
	// named, and the newest.
	Recurring(ctx context.Context, at billing.Account, remote string, of workspace.ID, first product.ID) (billing.PriceRef, error)
	// Keep stores by what a processor knows something of ours from now on.
	Keep(ctx context.Context, at billing.Account, own, remote string) error
}
