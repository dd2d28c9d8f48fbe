package billing

import (
	"context"
	"slices"

	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	ports "gatehouse.internal/ports/outbound/billing"
)

// named is the price that a purchase names: by itself, or as the only one of a product.
func (s *Service) named(ctx context.Context, p CheckoutCreateParams) (billing.PriceSnapshot, error) {
	if p.PriceID != "" {
		return s.Prices.Find(ctx, p.PriceID)
	}
	if p.ProductID == "" {
		return billing.PriceSnapshot{}, errNoPriceNamed
	}
	sold, err := s.Products.Find(ctx, p.ProductID)
	if err != nil {
		return billing.PriceSnapshot{}, err
	}
	active := true
	found, err := s.Prices.List(ctx, ports.PriceQuery{Org: sold.OrgID, Product: sold.ID, Active: &active, Limit: 2})
	if err == nil && len(found) != 1 {
		err = errNoPriceNamed
	}
	if err != nil {
		return billing.PriceSnapshot{}, err
	}
	return found[0], nil
}

// able returns the account at which a product is sold. It fails where its processor cannot do
// what an order asks of it.
func (s *Service) able(ctx context.Context, sold product.Snapshot, o payment.Order) (billing.Account, error) {
	name := sold.Processor
	if name == "" {
		name = billing.Sandbox
	}
	to, err := s.Payments.Processor(name)
	if err != nil {
		return billing.Account{}, errNoProcessor
	}
	if err := s.seller(ctx, sold); err != nil {
		return billing.Account{}, err
	}
	for ability, asked := range map[billing.Ability]bool{
		billing.CanSubscribe: o.Price.Recurring(), billing.CanTry: o.Checkout.TrialDays > 0, billing.CanDiscount: o.Checkout.Coupon != "",
		billing.CanMeter: o.Price.Model == billing.Metered,
	} {
		if asked && !has(to.Abilities(), ability) {
			return billing.Account{}, billing.Unable(name, ability)
		}
	}
	return to.Account(), nil
}

func has(all []billing.Ability, one billing.Ability) bool { return slices.Contains(all, one) }
