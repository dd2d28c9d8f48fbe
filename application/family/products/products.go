// Package products implements the family PRODUCT: products that a workspace sells or
// licenses.
package products

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/granting"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/billing"
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
	errPolicy = fault.Unfit("/license_policy_id", "is no license policy of the workspace for this product")
	errRole   = fault.Unfit("/features/role", "must be the name of a role of the workspace other than owner: ROLE.LIST lists them")
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
	Prices    billing.PriceDirectory
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
	ID              product.ID        `json:"id" doc:"Identifier of the product."`
	OrgID           workspace.ID      `json:"org_id" doc:"The workspace that sells it."`
	Name            string            `json:"name" doc:"Name to show."`
	Slug            product.Slug      `json:"slug" doc:"What programs call it; it serves wherever a product_id is asked for."`
	Description     string            `json:"description" doc:"What it is, for buyers."`
	Processor       product.Processor `json:"processor,omitzero" doc:"Who takes payments for it; absent: nobody yet."`
	Features        feature.Values    `json:"features" doc:"What owning it gives, by feature."`
	LicensePolicyID product.PolicyID  `json:"license_policy_id,omitzero" doc:"The terms that its licenses are issued from unless others are named; absent: none."`
	Public          bool              `json:"public" doc:"Whether buyers see it."`
	Archived        bool              `json:"archived" doc:"Whether it is sold no more."`
	GraceDays       int               `json:"grace_days" doc:"For how many days access outlasts a payment that is due."`
	Metadata        map[string]any    `json:"metadata_json" doc:"The application's own data; empty for buyers."`
	CreatedAt       time.Time         `json:"created_at" doc:"When it was made."`
	UpdatedAt       time.Time         `json:"updated_at" doc:"When it was changed last."`
}

// Result is a product after a change.
type Result struct {
	Product Product `json:"product" doc:"The product as it stands."`
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
	book, err := granting.Hold(ctx, tx.Books, caller, of.OrgID)
	if err != nil {
		return err
	}
	wanted, err := book.Named(name)
	if err != nil {
		return errRole
	}
	return granting.Covers(caller, wanted.Permissions)
}
