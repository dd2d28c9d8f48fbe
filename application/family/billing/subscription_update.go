package billing

import (
	"cmp"
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/fault"
)

// Errors of changes.
var (
	errNoChange     = fault.Invalid("/price_id", "provide at least one of price_id, quantity and coupon")
	errWaived       = fault.New(fault.Denied, "only the workspace that sells the product can choose proration none, with the permission "+writing)
	errAnotherPrice = fault.Unfit("/price_id", "must be an active, recurring price of the same product")
)

// SubscriptionUpdateParams are the parameters of BILLING.SUBSCRIPTION_UPDATE.
type SubscriptionUpdateParams struct {
	SubscriptionID billing.SubscriptionID `json:"subscription_id" doc:"ID of the subscription."`
	PriceID        billing.PriceID        `json:"price_id,omitzero" doc:"ID of the new price. It must be a recurring price of the same product. Omit to keep the current price." example:"-"`
	Quantity       int64                  `json:"quantity,omitzero" doc:"New quantity. Omit to keep the current quantity, or to use 1 for a flat price." jsonschema:"minimum=1,maximum=1000000000,example=1"`
	Coupon         billing.Code           `json:"coupon,omitzero" doc:"Coupon code that replaces the current discount. The subscription must not have used the coupon before." example:"-"`
	Proration      billing.Proration      `json:"proration,omitzero" doc:"When to charge the difference for the current period: now, with the next invoice (next), or never (none). Only the seller can choose none. Defaults to next, or to none if the processor lacks the ability proration." jsonschema:"enum=now,enum=next,enum=none"`
}

// SubscriptionUpdateResult is the result of BILLING.SUBSCRIPTION_UPDATE.
type SubscriptionUpdateResult struct {
	Subscription Subscription    `json:"subscription" doc:"The subscription after the change."`
	Preview      *UpcomingCharge `json:"preview,omitzero" doc:"Charge at the end of the period, before discounts, tax and prorated differences. Absent if the subscription is metered."`
}

func (s *Service) subscriptionUpdate() command.Definition {
	return command.Define(command.Spec[SubscriptionUpdateParams, SubscriptionUpdateResult]{
		Name:    "BILLING.SUBSCRIPTION_UPDATE",
		Summary: "Change the price, quantity or discount of a subscription.",
		Description: "Provide at least one of `price_id`, `quantity` and `coupon`. You can do this for your own subscriptions. With `billing:write`, you can " +
			"also do it for subscriptions your workspace bought or sold.",
		Access: access.User().Scoped(writing),
		Effect: command.Outside,
		Emits:  processorKinds(),
		Handle: func(ctx context.Context, call command.Call, p SubscriptionUpdateParams) (SubscriptionUpdateResult, error) {
			price, plan, err := s.plan(ctx, call.Caller, p)
			if err != nil {
				return SubscriptionUpdateResult{}, err
			}
			done, err := s.changed(ctx, call.Caller, p.SubscriptionID, change{
				abilities: planAbilities(price, plan), intent: billing.Intent{Kind: billing.IntentUpdate, Plan: plan},
				may: func(sub *billing.Subscription) error { return sub.MayChange(plan.Coupon) },
				hold: func(tx payment.Repos, i *billing.Intent) (err error) {
					i.Plan.Discount, err = payment.Redeem(ctx, tx, plan.Coupon, price, s.Clock.Now())
					return err
				},
			})
			return SubscriptionUpdateResult{Subscription: done.Subscription, Preview: upcoming(price, done.Subscription)}, err
		},
	})
}

// plan returns the plan that a subscription is to change to, and its price.
func (s *Service) plan(ctx context.Context, caller access.Caller, p SubscriptionUpdateParams) (price billing.PriceSnapshot, plan billing.Plan, err error) {
	found, err := s.changeable(ctx, caller, p.SubscriptionID)
	if err == nil && p.PriceID == "" && p.Quantity == 0 && p.Coupon == "" {
		err = errNoChange
	}
	if err != nil {
		return price, plan, err
	}
	price, err = s.Prices.Find(ctx, cmp.Or(p.PriceID, found.PriceID))
	switch {
	case err != nil:
		return price, plan, err
	case price.OrgID != found.OrgID:
		return price, plan, billing.ErrNoPrice
	case price.ProductID != found.ProductID || !price.Recurring() || (!price.Active && price.ID != found.PriceID):
		return price, plan, errAnotherPrice
	}
	quantity := cmp.Or(p.Quantity, found.Quantity)
	if price.Model == billing.Flat && p.Quantity == 0 {
		quantity = 1
	}
	usual, err := s.proration(found.Account)
	sells := caller.Sees(found.OrgID) && caller.May(writing)
	if err == nil && p.Proration == billing.ProrateNone && usual != billing.ProrateNone && !sells {
		err = errWaived
	}
	if err != nil {
		return price, plan, err
	}
	_, err = price.Upfront(quantity)
	return price, billing.Plan{PriceID: price.ID, Quantity: quantity, Coupon: p.Coupon.Folded(), Proration: cmp.Or(p.Proration, usual)}, err
}

// proration returns the default of when the difference between two plans is charged. It fails
// like payment.Service.Of.
func (s *Service) proration(by billing.Account) (billing.Proration, error) {
	to, err := s.Payments.Of(by)
	if err != nil {
		return "", err
	}
	if payment.Able(to, billing.CanProrate) != nil {
		return billing.ProrateNone, nil
	}
	return billing.ProrateNext, nil
}

// planAbilities returns what a processor must be able to do for a change.
func planAbilities(price billing.PriceSnapshot, plan billing.Plan) []billing.Ability {
	needed := append(priceAbilities(price), billing.CanChange)
	if plan.Coupon != "" {
		needed = append(needed, billing.CanDiscount)
	}
	if plan.Proration == billing.ProrateNone {
		return append(needed, billing.CanWaive)
	}
	return append(needed, billing.CanProrate)
}
