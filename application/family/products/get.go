package products

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/commerce"
)

// GetParams are the parameters of PRODUCT.GET.
type GetParams struct {
	ProductID product.Ref `json:"product_id" doc:"The product, by ID or slug."`
}

// GetResult is the result of PRODUCT.GET.
type GetResult struct {
	Product       Product             `json:"product" doc:"The product."`
	Prices        []view.Price        `json:"prices" doc:"Active prices of the product, newest first, at most 100. BILLING.PRICE_LIST lists all prices."`
	LicensePolicy *view.LicensePolicy `json:"license_policy,omitzero" doc:"Default license policy of the product. Not returned to buyers, or if the product has none."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:        "PRODUCT.GET",
		Summary:     "Retrieve a product with its prices.",
		Description: "Any caller can retrieve a public product. With `products:read`, you can retrieve every product of your workspace.",
		Access:      access.Anybody(),
		InWorkspace: true,
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			found, err := s.Directory.Find(ctx, p.ProductID)
			if err != nil {
				return GetResult{}, err
			}
			all := reads(call.Caller, found.OrgID)
			if !all && !found.Public {
				return GetResult{}, product.ErrNotFound
			}
			result := GetResult{Product: sold(found)}
			if all {
				if result, err = s.whole(ctx, found); err != nil {
					return GetResult{}, err
				}
			}
			result.Prices, err = s.prices(ctx, found, all)
			return result, err
		},
	})
}

// mostPrices is how many prices a product is shown with.
const mostPrices = 100

// prices returns those that a product is sold by.
func (s *Service) prices(ctx context.Context, found product.Snapshot, all bool) ([]view.Price, error) {
	active := true
	list, err := s.Prices.List(ctx, commerce.PriceQuery{Org: found.OrgID, Product: found.ID, Public: !all, Active: &active, Limit: mostPrices})
	shown := make([]view.Price, 0, len(list))
	for _, one := range list {
		if all {
			shown = append(shown, view.OfPrice(one))
		} else {
			shown = append(shown, view.SoldPrice(one))
		}
	}
	return shown, err
}

// whole returns a product with the policy that it names.
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
