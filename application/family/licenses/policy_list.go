package licenses

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/licensing"
)

// PolicyListParams are the parameters of LICENSE.POLICY_LIST.
type PolicyListParams struct {
	ProductID product.Ref `json:"product_id,omitzero" doc:"Only policies for this product alone, given by ID or slug." example:"-"`
	page.Params
}

func (s *Service) policyList() command.Definition {
	return command.Define(command.Spec[PolicyListParams, page.Of[view.LicensePolicy]]{
		Name:    "LICENSE.POLICY_LIST",
		Summary: "List the license policies of the workspace, newest first.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p PolicyListParams) (page.Of[view.LicensePolicy], error) {
			org, err := orgOf(call.Caller)
			if err != nil {
				return page.Of[view.LicensePolicy]{}, err
			}
			query := licensing.PolicyQuery{Org: org}
			if p.ProductID != "" {
				if query.Product, err = s.product(ctx, call.Caller, p.ProductID); err != nil {
					return page.Of[view.LicensePolicy]{}, err
				}
			}
			list := s.Cursors.List("LICENSE.POLICY_LIST|"+org.String()+"|"+query.Product.String(), p.Params)
			return page.Read(list, func(one license.PolicySnapshot) string { return one.ID.String() }, view.OfLicensePolicy,
				func(before string, most int) ([]license.PolicySnapshot, error) {
					query.Before, query.Limit = product.PolicyID(before), most
					return s.Policies.List(ctx, query)
				})
		},
	})
}

// product returns the identifier of a product that a caller sees. It fails with
// product.ErrNotFound.
func (s *Service) product(ctx context.Context, caller access.Caller, ref product.Ref) (product.ID, error) {
	found, err := s.Products.Find(ctx, ref)
	if err == nil && !found.Public && !caller.Sees(found.OrgID) {
		err = product.ErrNotFound
	}
	return found.ID, err
}
