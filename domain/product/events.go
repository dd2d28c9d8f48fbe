package product

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of products.
const (
	KindCreated event.Kind = "product.created"
	KindUpdated event.Kind = "product.updated"
	KindDeleted event.Kind = "product.deleted"
)

// Created is the content of product.created.
type Created struct {
	ProductID ID           `json:"product_id" doc:"ID of the new product."`
	OrgID     workspace.ID `json:"org_id" doc:"ID of the workspace that sells the product."`
	Slug      Slug         `json:"slug" doc:"Slug of the product."`
	Name      string       `json:"name" doc:"Name of the product."`
}

// Updated is the content of product.updated.
type Updated struct {
	ProductID ID           `json:"product_id" doc:"ID of the product."`
	OrgID     workspace.ID `json:"org_id" doc:"ID of the workspace that sells the product."`
	Slug      Slug         `json:"slug" doc:"Slug of the product."`
	Changed   []string     `json:"changed" doc:"Names of the fields that changed."`
}

// Deleted is the content of product.deleted.
type Deleted struct {
	ProductID ID           `json:"product_id" doc:"ID of the deleted product."`
	OrgID     workspace.ID `json:"org_id" doc:"ID of the workspace that sold the product."`
	Slug      Slug         `json:"slug" doc:"Slug of the product."`
}

func (Created) Kind() event.Kind { return KindCreated }
func (Updated) Kind() event.Kind { return KindUpdated }
func (Deleted) Kind() event.Kind { return KindDeleted }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		table = ID("prd_01jd7x9k2mf3q8v5t0abcdefgh")
		org   = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		slug  = Slug("drafting-table")
	)
	return []event.Definition{
		{Summary: "A product was created.", Example: Created{table, org, slug, "Drafting Table"}},
		{Summary: "A product was updated or archived.", Example: Updated{table, org, slug, []string{"features"}}},
		{Summary: "A product was deleted.", Example: Deleted{table, org, slug}},
	}
}
