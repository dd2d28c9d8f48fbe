package billing

import (
	"context"

	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/ports/outbound/commerce"
)

// named returns the price that a purchase names: by itself, or as the only one of a product that the
// caller sees.
func (s *Service) named(ctx context.Context, caller access.Caller, p CheckoutCreateParams) (billing.PriceSnapshot, error) {
	if p.PriceID != "" {
		return s.Prices.Find(ctx, p.PriceID)
	}
	if p.ProductID == "" {
		return billing.PriceSnapshot{}, errNoPriceNamed
	}
	sold, err := s.Products.Find(ctx, p.ProductID)
	if err == nil && !shown(caller, sold) {
		err = product.ErrNotFound
	}
	if err != nil {
		return billing.PriceSnapshot{}, err
	}
	active := true
	found, err := s.Prices.List(ctx, commerce.PriceQuery{Org: sold.OrgID, Product: sold.ID, Active: &active, Limit: 2})
	if err == nil && len(found) != 1 {
		err = errNoPriceNamed
	}
	if err != nil {
		return billing.PriceSnapshot{}, err
	}
	return found[0], nil
}

// shown reports whether a caller sees that there is a product: it is public, or their
// workspace's.
func shown(caller access.Caller, of product.Snapshot) bool {
	return of.Public || (caller.Sees(of.OrgID) && caller.May(readingProducts))
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
	by, err := s.Workspaces.Find(ctx, sold.OrgID)
	if err == nil && by.Disabled() {
		err = errSuspended
	}
	if err != nil {
		return billing.Account{}, err
	}
	needed := priceAbilities(o.Price)
	if o.Checkout.TrialDays > 0 {
		needed = append(needed, billing.CanTry)
	}
	if o.Checkout.Coupon != "" {
		needed = append(needed, billing.CanDiscount)
	}
	return to.Account(), payment.Able(to, needed...)
}

// priceAbilities returns what a processor must be able to do to sell by a price.
func priceAbilities(of billing.PriceSnapshot) (needed []billing.Ability) {
	if of.Recurring() {
		needed = append(needed, billing.CanSubscribe)
	}
	if of.Model == billing.Metered {
		needed = append(needed, billing.CanMeter)
	}
	if of.Model == billing.Tiered {
		needed = append(needed, billing.CanTier)
	}
	return needed
}
