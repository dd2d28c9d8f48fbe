package billing

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
)

// SubscriptionGetResult is the result of BILLING.SUBSCRIPTION_GET.
type SubscriptionGetResult struct {
	Subscription Subscription    `json:"subscription" doc:"The subscription."`
	Product      SoldProduct     `json:"product" doc:"The product that was bought."`
	Price        view.Price      `json:"price" doc:"The price of the subscription."`
	Upcoming     *UpcomingCharge `json:"upcoming" doc:"Next charge, before discounts and tax. Null if the subscription is metered, or will not be charged again."`
}

// SoldProduct names a product.
type SoldProduct struct {
	ID   product.ID   `json:"id" doc:"ID of the product."`
	Name string       `json:"name" doc:"Name of the product."`
	Slug product.Slug `json:"slug" doc:"Slug of the product."`
}

// UpcomingCharge is a payment that lies ahead.
type UpcomingCharge struct {
	Amount   int64          `json:"amount" doc:"Amount in minor units."`
	Currency money.Currency `json:"currency" doc:"ISO 4217 currency code."`
	At       time.Time      `json:"at" doc:"When the amount is charged."`
}

func (s *Service) subscriptionGet() command.Definition {
	return command.Define(command.Spec[SubscriptionParams, SubscriptionGetResult]{
		Name:        "BILLING.SUBSCRIPTION_GET",
		Summary:     "Retrieve a subscription with its next charge.",
		Description: "You can retrieve your own subscriptions. With `billing:read`, you can also retrieve subscriptions your workspace bought or sold.",
		Access:      access.User(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p SubscriptionParams) (result SubscriptionGetResult, err error) {
			found, err := s.Sales.Subscription(ctx, p.SubscriptionID)
			if err == nil && !sees(call.Caller, found.Sale) {
				err = billing.ErrNoSubscription
			}
			if err != nil {
				return result, err
			}
			sold, err := s.Products.Find(ctx, product.Ref(found.ProductID.String()))
			if err != nil {
				return result, err
			}
			price, err := s.Prices.Find(ctx, found.PriceID)
			if err != nil {
				return result, err
			}
			result.Subscription, result.Product = showSubscription(found), SoldProduct{sold.ID, sold.Name, sold.Slug}
			result.Price = view.SoldPrice(price)
			if found.Status != billing.Canceled && found.Running() {
				result.Upcoming = upcoming(price, result.Subscription)
			}
			return result, nil
		},
	})
}

// upcoming returns what a subscription charges by a price when its period ends; nil where it is
// metered.
func upcoming(price billing.PriceSnapshot, of Subscription) *UpcomingCharge {
	total, err := price.Total(of.Quantity)
	if err != nil || price.Model == billing.Metered {
		return nil
	}
	return &UpcomingCharge{Amount: total.Minor, Currency: total.Currency, At: of.PeriodEnd}
}
