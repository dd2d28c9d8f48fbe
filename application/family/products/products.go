// Package products implements the family PRODUCT: products that a workspace sells or
// licenses.
package products

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/rolegrant"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/commerce"
	"gatehouse.internal/ports/outbound/licensing"
	"gatehouse.internal/ports/outbound/workspaces"
)

// The permissions of the family.
const (
	reading = "products:read"
	writing = "products:write"
)

// Errors of what a product names.
var (
	errPolicy = fault.Unfit("/license_policy_id", "must be a license policy of the workspace for this product")
	errRole   = fault.Unfit("/features/role", "must be a role of the workspace other than owner: see ROLE.LIST")
)

// Repos holds the repositories of one unit of work.
type Repos struct {
	Products licensing.Products
	Policies licensing.Policies
	Books    workspaces.Books
}

// Service holds the dependencies of the family's commands.
type Service struct {
	Unit      outbound.Unit[Repos]
	Directory licensing.ProductDirectory
	Policies  licensing.PolicyDirectory
	Prices    commerce.PriceDirectory
	Cursors   page.Cursors
	Clock     outbound.Clock
	IDs       outbound.IDs
}

// Commands lists the commands of the family.
func (s *Service) Commands() []command.Definition {
	return []command.Definition{
		s.create(),
		s.get(),
		s.list(),
		s.update(),
		s.delete(),
	}
}

// Product is a product in results.
type Product struct {
	ID              product.ID        `json:"id" doc:"ID of the product."`
	OrgID           workspace.ID      `json:"org_id" doc:"ID of the workspace that sells the product."`
	Name            string            `json:"name" doc:"Display name."`
	Slug            product.Slug      `json:"slug" doc:"Identifier for use in code. Accepted wherever a product_id is."`
	Description     string            `json:"description" doc:"Description for buyers."`
	Processor       product.Processor `json:"processor,omitzero" doc:"Payment processor that takes payments for the product. Absent if none is set."`
	Features        feature.Values    `json:"features" doc:"Features that owners of the product get, by name."`
	LicensePolicyID product.PolicyID  `json:"license_policy_id,omitzero" doc:"License policy for new licenses of the product, unless another one is named. Absent if none is set."`
	Public          bool              `json:"public" doc:"Whether buyers can see the product."`
	Archived        bool              `json:"archived" doc:"Whether the product is archived. An archived product is no longer sold."`
	GraceDays       int               `json:"grace_days" doc:"Days of continued access after a payment is due."`
	Metadata        map[string]any    `json:"metadata_json" doc:"Your own data. Empty for buyers."`
	CreatedAt       time.Time         `json:"created_at" doc:"When the product was created."`
	UpdatedAt       time.Time         `json:"updated_at" doc:"When the product last changed."`
}

// Result is a product after a change.
type Result struct {
	Product Product `json:"product" doc:"The product after the change."`
}

func show(s product.Snapshot) Product {
	shown := Product{
		ID: s.ID, OrgID: s.OrgID, Name: s.Name, Slug: s.Slug, Description: s.Description, Processor: s.Processor, Features: s.Features,
		LicensePolicyID: s.PolicyID, Public: s.Public, Archived: s.Archived, GraceDays: s.GraceDays, Metadata: s.Metadata,
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
	if shown.Features == nil {
		shown.Features = feature.Values{}
	}
	if shown.Metadata == nil {
		shown.Metadata = map[string]any{}
	}
	return shown
}

// sold returns a product as buyers see it.
func sold(s product.Snapshot) Product {
	s.Metadata = nil
	return show(s)
}

// reads reports whether a caller sees all of the products of a workspace.
func reads(caller access.Caller, org workspace.ID) bool {
	return caller.Sees(org) && caller.May(reading)
}

// owned reads a product of the caller's workspace. It fails with product.ErrNotFound.
func owned(ctx context.Context, tx Repos, caller access.Caller, ref product.Ref) (*product.Product, error) {
	found, err := tx.Products.ByRef(ctx, ref)
	if err == nil && !caller.Sees(found.Snapshot().OrgID) {
		return nil, product.ErrNotFound
	}
	return found, err
}

// names fails where a product names a policy that is not its own, or a role that its maker
// may not give: whoever buys the product will have it.
func names(ctx context.Context, tx Repos, caller access.Caller, of product.Snapshot) error {
	policy, features := of.PolicyID, of.Features
	if policy != "" {
		found, err := tx.Policies.ByID(ctx, policy)
		if err != nil {
			return err
		}
		if s := found.Snapshot(); s.OrgID != of.OrgID {
			return license.ErrNoPolicy
		} else if s.ProductID != "" && s.ProductID != of.ID {
			return errPolicy
		}
	}
	given, named := features["role"]
	if !named {
		return nil
	}
	name, ok := given.(string)
	if !ok || name == role.Owner {
		return errRole
	}
	book, err := rolegrant.Hold(ctx, tx.Books, caller, of.OrgID)
	if err != nil {
		return err
	}
	wanted, err := book.Named(name)
	if err != nil {
		return errRole
	}
	return rolegrant.Covers(caller, wanted.Permissions)
}
