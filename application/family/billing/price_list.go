package billing

import (
	"context"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/commerce"
)

// PriceListParams are the parameters of BILLING.PRICE_LIST.
type PriceListParams struct {
	ProductID product.Ref `json:"product_id,omitzero" doc:"The product, by ID or slug. Defaults to all products of the active workspace." example:"-"`
	Active    *bool       `json:"active,omitzero" doc:"Filter by whether the price is active or retired." example:"-"`
	page.Params
}

func (s *Service) priceList() command.Definition {
	return command.Define(command.Spec[PriceListParams, page.Of[view.Price]]{
		Name:        "BILLING.PRICE_LIST",
		Summary:     "List prices, newest first.",
		Description: "Buyers see the active prices of public products. With `products:read`, you see every price of your workspace.",
		Access:      access.Anybody(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p PriceListParams) (page.Of[view.Price], error) {
			query, all, err := s.priceQuery(ctx, call.Caller, p)
			if err != nil {
				return page.Of[view.Price]{}, err
			}
			shown := view.OfPrice
			if !all {
				active := true
				query.Public, shown = true, view.SoldPrice
				if query.Active == nil {
					query.Active = &active
				} else if !*query.Active {
					return page.Of[view.Price]{Items: []view.Price{}}, nil
				}
			}
			scope := fmt.Sprintf("BILLING.PRICE_LIST|%s|%s|%t|%s", query.Org, query.Product, all, choice(p.Active))
			return page.Read(s.Cursors.List(scope, p.Params), func(one billing.PriceSnapshot) string { return one.ID.String() }, shown,
				func(before string, most int) ([]billing.PriceSnapshot, error) {
					query.Before, query.Limit = billing.PriceID(before), most
					return s.Prices.List(ctx, query)
				})
		},
	})
}

// priceQuery returns whose prices are asked for, and whether the caller sees all of them.
func (s *Service) priceQuery(ctx context.Context, caller access.Caller, p PriceListParams) (query commerce.PriceQuery, all bool, err error) {
	query.Active = p.Active
	if p.ProductID == "" {
		query.Org, err = orgOf(caller)
		return query, caller.May(readingProducts), err
	}
	found, err := s.Products.Find(ctx, p.ProductID)
	if err != nil {
		return query, false, err
	}
	if !shown(caller, found) {
		return query, false, product.ErrNotFound
	}
	query.Org, query.Product = found.OrgID, found.ID
	return query, caller.Sees(found.OrgID) && caller.May(readingProducts), nil
}

// choice writes what was chosen as part of the scope of a list.
func choice(chosen *bool) string {
	if chosen == nil {
		return "any"
	}
	return fmt.Sprint(*chosen)
}
