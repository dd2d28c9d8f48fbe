package commerce

import (
	"context"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Mirrors maps prices and coupons to their identifiers at processors.
type Mirrors interface {
	// Remotes returns the processor's current identifier of an object, followed by
	// previous ones, which pending checkouts may still use.
	Remotes(ctx context.Context, at billing.Account, own string) ([]string, error)
	// Recurring returns the recurring price of a workspace with a current or previous
	// identifier at a processor; zero for none. Of several, prices of the product first
	// are preferred, then the newest.
	Recurring(ctx context.Context, at billing.Account, remote string, of workspace.ID, first product.ID) (billing.PriceRef, error)
	// Keep stores the processor's identifier of an object.
	Keep(ctx context.Context, at billing.Account, own, remote string) error
}
