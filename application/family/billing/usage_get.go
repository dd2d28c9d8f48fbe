package billing

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
)

// UsageGetParams are the parameters of BILLING.USAGE_GET.
type UsageGetParams struct {
	SubscriptionID billing.SubscriptionID `json:"subscription_id" doc:"ID of the subscription."`
	Meter          string                 `json:"meter,omitzero" doc:"Filter by meter." jsonschema:"maxLength=64" example:"-"`
	From           time.Time              `json:"from,omitzero" doc:"Include only periods that began at or after this time. Omit both from and to for the current period." example:"-"`
	To             time.Time              `json:"to,omitzero" doc:"Include only periods that began before this time." example:"-"`
}

// UsageGetResult is the result of BILLING.USAGE_GET.
type UsageGetResult struct {
	Items  []UsageItem `json:"items" doc:"Usage by period and meter. Empty if there was none."`
	Period Period      `json:"period" doc:"Time covered by the items, from the start of the first period to the end of the last. The current period if there are no items."`
}

// UsageItem is what was used in one period.
type UsageItem struct {
	Meter    string `json:"meter" doc:"Name of the meter."`
	Quantity int64  `json:"quantity" doc:"Quantity used."`
	Amount   int64  `json:"amount" doc:"Cost at the price of the subscription, before discounts and tax, in minor units of its currency."`
}

// Period is a time.
type Period struct {
	Start time.Time `json:"start" doc:"Start of the period."`
	End   time.Time `json:"end" doc:"End of the period."`
}

func (s *Service) usageGet() command.Definition {
	return command.Define(command.Spec[UsageGetParams, UsageGetResult]{
		Name:    "BILLING.USAGE_GET",
		Summary: "Retrieve the usage of a metered subscription with its cost.",
		Description: "You can retrieve the usage of your own subscriptions. With `billing:read`, you can also retrieve the usage of subscriptions your " +
			"workspace bought or sold.",
		Access: access.User(),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p UsageGetParams) (UsageGetResult, error) {
			found, err := s.Sales.Subscription(ctx, p.SubscriptionID)
			if err == nil && !sees(call.Caller, found.Sale) {
				err = billing.ErrNoSubscription
			}
			if err != nil {
				return UsageGetResult{}, err
			}
			price, err := s.Prices.Find(ctx, found.PriceID)
			if err != nil {
				return UsageGetResult{}, err
			}
			from := p.From
			if from.IsZero() && p.To.IsZero() {
				from = found.PeriodStart
			}
			listed, err := s.Usage.List(ctx, found.ID, from, p.To)
			return showUsage(listed, found, price, p.Meter), err
		},
	})
}

// showUsage shows what was used, by one meter if that is named.
func showUsage(listed []billing.Usage, of billing.SubscriptionSnapshot, price billing.PriceSnapshot, meter string) UsageGetResult {
	result := UsageGetResult{Items: []UsageItem{}, Period: Period{of.PeriodStart, of.PeriodEnd}}
	for _, one := range listed {
		if meter != "" && one.Meter != meter {
			continue
		}
		if len(result.Items) == 0 {
			result.Period.Start = one.PeriodStart
		}
		result.Period.End = one.PeriodEnd
		shown := UsageItem{Meter: one.Meter, Quantity: one.Total}
		// What was counted by a price before a change of plan is charged by that.
		if total, err := price.Total(one.Total); err == nil && price.Meter == one.Meter {
			shown.Amount = total.Minor
		}
		result.Items = append(result.Items, shown)
	}
	return result
}
