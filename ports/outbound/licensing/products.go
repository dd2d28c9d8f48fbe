package licensing

import (
	"context"

	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Products stores products, inside a unit of work.
type Products interface {
	// ByRef returns and locks a product. It fails with product.ErrNotFound.
	ByRef(ctx context.Context, ref product.Ref) (*product.Product, error)
	// Offered returns a product without locking it. It fails with product.ErrNotFound.
	Offered(ctx context.Context, id product.ID) (product.Snapshot, error)
	// Count returns the number of products of a workspace. It blocks concurrent calls
	// for the workspace until the transaction ends.
	Count(ctx context.Context, org workspace.ID) (int, error)
	// Sold reports whether a checkout of the product was ever started.
	Sold(ctx context.Context, id product.ID) (bool, error)
	// Save stores a product. It fails with product.ErrSlugTaken.
	Save(ctx context.Context, p *product.Product) error
	// Delete deletes a product with its own policies; its slug stays reserved. It fails
	// with product.ErrLicensed and product.ErrSold.
	Delete(ctx context.Context, p *product.Product) error
}

// ProductDirectory reads products, outside any transaction.
type ProductDirectory interface {
	// Find returns a product. It fails with product.ErrNotFound.
	Find(ctx context.Context, ref product.Ref) (product.Snapshot, error)
	// List returns the products that match, newest first.
	List(ctx context.Context, query ProductQuery) ([]product.Snapshot, error)
}

// ProductQuery narrows a list of products; zero values do not narrow.
type ProductQuery struct {
	Org workspace.ID
	// Slug is the slug of the workspace.
	Slug   workspace.Slug
	Public bool
	// Archived selects products that are archived, or are not.
	Archived *bool
	// Text is a prefix of the name, case-insensitive.
	Text string
	// Before is the last ID of the previous page.
	Before product.ID
	Limit  int
}
