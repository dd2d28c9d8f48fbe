package products

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/product"
)

// GetParams are the parameters of PRODUCT.GET.
type GetParams struct {
	ProductID product.Ref `json:"product_id" doc:"The product, by its identifier or slug."`
}

// GetResult is the result of PRODUCT.GET.
type GetResult struct {
	Product       Product             `json:"product" doc:"The product."`
	LicensePolicy *view.LicensePolicy `json:"license_policy,omitzero" doc:"The terms that its licences are issued from; absent where it names none, and for buyers."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:        "PRODUCT.GET",
		Summary:     "One product: a public one for buyers, any of the workspace's with products:read.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			found, err := s.Directory.Find(ctx, p.ProductID)
			switch {
			case err != nil:
				return GetResult{}, err
			case reads(call.Caller, found.OrgID):
				return s.whole(ctx, found)
			case !found.Public:
				return GetResult{}, product.ErrNotFound
			}
			return GetResult{Product: sold(found)}, nil
		},
	})
}

// whole is a product with the policy that it names.
func (s *Service) whole(ctx context.Context, found product.Snapshot) (GetResult, error) {
	result := GetResult{Product: show(found)}
	if found.PolicyID == "" {
		return result, nil
	}
	terms, err := s.Policies.Find(ctx, found.PolicyID)
	if err == nil {
		shown := view.OfLicensePolicy(terms)
		result.LicensePolicy = &shown
	}
	return result, err
}
