package licensing

import (
	"context"

	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Products stores products, inside a unit of work.
type Products interface {
	// ByRef fails with product.ErrNotFound.
	ByRef(ctx context.Context, ref product.Ref) (*product.Product, error)
	// Offered reads a product, and holds nobody off. It fails with product.ErrNotFound.
	Offered(ctx context.Context, id product.ID) (product.Snapshot, error)
	// Count is how many a workspace has. It holds off every other transaction that asks
	// the same until this one ends.
	Count(ctx context.Context, org workspace.ID) (int, error)
	// Sold reports whether anybody began to buy a product.
	Sold(ctx context.Context, id product.ID) (bool, error)
	// Save fails with product.ErrSlugTaken.
	Save(ctx context.Context, p *product.Product) error
	// Delete removes a product with the policies that are for it alone; its slug is never
	// given away. It fails with product.ErrLicensed and
	// product.ErrSold.
	Delete(ctx context.Context, p *product.Product) error
}

// ProductDirectory reads products, outside any transaction.
type ProductDirectory interface {
	// Find fails with product.ErrNotFound.
	Find(ctx context.Context, ref product.Ref) (product.Snapshot, error)
	// List returns the products that match, newest first.
	List(ctx context.Context, query ProductQuery) ([]product.Snapshot, error)
}

// ProductQuery narrows a list of products; zero values do not narrow.
type ProductQuery struct {
	Org workspace.ID
	// Slug is that of the workspace.
	Slug   workspace.Slug
	Public bool
	// Archived narrows to those that are, or are not.
	Archived *bool
	// Text matches the beginning of the name, without case.
	Text string
	// Before is the last id of the page before.
	Before product.ID
	Limit  int
}
